package backend

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/launch"
)

// Steps read and write at the current addresses of their operands.
func TestStepsGoOnWithTheirOperands(t *testing.T) {
	const n, most = 5, 300
	p := manySums(t)
	k, err := Compile(p)
	require.NoError(t, err)
	if !k.Machine() {
		t.Skip("there is no machine code")
	}
	a := launch.New(p)
	a.N = n
	last := len(p.Operands) - 1
	for i := range p.Operands {
		a.Stride[i][len(a.Stride[i])-1] = 1
	}
	if len(a.Outer) > 0 {
		a.Outer[0] = 1
	}
	x, pair := make([]float32, n*most), [2][n]float32{{1, 1, 1, 1, 1}}
	for i := range x {
		x[i] = float32(i % 7)
	}
	var s Steps
	c := Prepare(k, a)
	require.True(t, s.Add(c))
	s.Reserve(len(p.Operands))
	s.Begin()
	there, back := unsafe.Pointer(&pair[0]), unsafe.Pointer(&pair[1])
	turn := Change{Flip: uint64(uintptr(there) ^ uintptr(back))}
	for i := range last {
		switch i {
		case 0:
			s.Point(c, i, there, turn)
		default:
			s.Point(c, i, unsafe.Pointer(&x[0]), Change{Add: 4 * n})
		}
	}
	s.Point(c, last, back, turn)
	position := int64(3)
	s.Count(&position, Change{Add: 2})
	want := pair[0]
	for taken := 0; taken < most; {
		more, ended := s.Run(most - taken)
		require.Positive(t, more)
		require.False(t, ended)
		for step := taken; step < taken+more; step++ {
			for j := range n {
				sum := want[j]
				for range last - 1 {
					sum += x[step*n+j]
				}
				want[j] = sum
			}
		}
		taken += more
		require.Equal(t, want, pair[taken%2])
		require.Equal(t, int64(3+2*taken), position)
	}
}
