package hugepage

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"
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

// Memory whose pages become large later keeps its contents, even at its ends.
func TestMakeLater(t *testing.T) {
	for _, n := range []int{0, 100, leastLater - 1, leastLater, leastLater + huge/2 + 3, 2*leastLater - 7} {
		memory, later := MakeLater(n, -1) // whatever it takes
		require.Len(t, memory, n)
		require.Equal(t, n >= leastLater, later.Pending(), n)
		for i := range memory {
			if memory[i] != 0 {
				t.Fatal(n, i)
			}
			memory[i] = byte(i * 7 >> 3)
		}
		for calls := 0; later.Pending(); calls++ {
			require.Less(t, calls, n/huge+1, "each call makes a page at least")
			require.GreaterOrEqual(t, later.Enlarge(0), time.Duration(0))
		}
		require.Zero(t, later.Enlarge(time.Hour)/time.Second, "nothing is left")
		for i := range memory {
			if memory[i] != byte(i*7>>3) {
				t.Fatal(n, i)
			}
		}
	}
	_, later := MakeLater(leastLater, time.Hour)
	require.False(t, later.Pending(), "large pages that come at once are taken")
}

// More memory than any machine has is refused, and what is refused is more than there is.
func TestCheck(t *testing.T) {
	require.NoError(t, Check(1<<20))
	require.NoError(t, Check(probed))
	if runtime.GOOS == "linux" && math.MaxInt > 1<<32 {
		require.Error(t, Check(math.MaxInt/2))
		most, of := limit()
		require.NotEmpty(t, of)
		require.ErrorContains(t, Check(most+1), "has "+Bytes(most))
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int]string{0: "0 bytes", 1023: "1023 bytes", 1024: "1.0 KiB", 3 << 19: "1.5 MiB",
		1 << 30: "1.0 GiB"} {
		require.Equal(t, want, Bytes(n))
	}
}
