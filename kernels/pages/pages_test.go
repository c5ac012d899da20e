package pages

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, 7, 1000, huge/16 - 1, huge / 16, huge / 8, huge/8 + 1, huge/4 + 5, huge} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s := Make[float64](n)
			require.Len(t, s, n)
			require.Equal(t, n, cap(s))
			for i := range s {
				if s[i] != 0 {
					t.Fatal(i, s[i])
				}
				s[i] = float64(i)
			}
			if n > 0 {
				require.Zero(t, uintptr(unsafe.Pointer(&s[0]))%Line)
			}
		})
	}
}
