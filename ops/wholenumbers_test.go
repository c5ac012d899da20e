package ops_test

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Bits are moved by any number of places, those that there are and others, in all dtypes.
func TestShifts(t *testing.T) {
	t.Run("int8", testShifts[int8])
	t.Run("uint8", testShifts[uint8])
	t.Run("int16", testShifts[int16])
	t.Run("uint16", testShifts[uint16])
	t.Run("int32", testShifts[int32])
	t.Run("uint32", testShifts[uint32])
	t.Run("int64", testShifts[int64])
	t.Run("uint64", testShifts[uint64])
}

func testShifts[T int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64](t *testing.T) {
	bits := 8 * int(unsafe.Sizeof(T(0)))
	rng := rand.New(rand.NewPCG(1, 2))
	x, y, left, right := []T{}, []T{}, []T{}, []T{}
	for places := -3; places < bits+3; places++ {
		for range 20 {
			v, by := T(rng.Uint64()), T(places)
			x, y = append(x, v), append(y, by)
			if uint64(by) >= uint64(bits) { // or negative
				left, right = append(left, 0), append(right, v>>(bits-1)>>1)
				continue
			}
			left, right = append(left, v<<by), append(right, v>>by)
		}
	}
	g := graph.New("shifts")
	a := g.Input("x", graph.DTypeOf[T](), graph.Dim(len(x)))
	b := g.Input("y", graph.DTypeOf[T](), graph.Dim(len(x)))
	up, down := ops.ShiftLeft(a, b), ops.ShiftRight(a, b)
	p, err := exec.Compile(g, exec.Outputs(up, down))
	require.NoError(t, err)
	out, err := p.NewSession().Run(t.Context(),
		exec.Feed{a: exec.Array{Shape: []int{len(x)}, Data: x}, b: exec.Array{Shape: []int{len(x)}, Data: y}})
	require.NoError(t, err)
	for node, want := range map[*graph.Node][]T{up: left, down: right} {
		got, err := exec.Values[T](out, node)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}
