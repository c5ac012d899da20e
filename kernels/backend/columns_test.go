package backend

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Rows of any length that are accumulated over the axis before them have the same bits column by column as row by row,
// whatever else a program reads and writes: numbers of rows, positions, operands without that axis, several sums, and
// one over both axes.
func TestColumnsOfRows(t *testing.T) {
	for _, typ := range []rowprog.Type{rowprog.F32, rowprog.F64, rowprog.I32} {
		for _, many := range []bool{false, true} {
			p := accumulating(t, typ, many)
			kernels := backends(t, p)
			for _, k := range kernels[1:] {
				if m, ok := k.(*nativeKernel); ok {
					require.NotZero(t, m.layout.Columns, "%v: there is no code for columns", typ)
				}
			}
			r := rand.New(rand.NewPCG(5, uint64(typ)))
			for _, rows := range []int{0, 1, 2, 5, 33} {
				for _, n := range []int{1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 64, 70, 100, 127, 129, 300} {
					requireSameSums(t, fmt.Sprintf("%v, %v, %d rows of %d", typ, many, rows, n), p, r, 3, rows, n,
						kernels)
				}
			}
		}
	}
}

// More sums than registers are right too.
func TestColumnsOfManySums(t *testing.T) {
	for _, sums := range []int{2, 5, 6, 7, 13, 14, 15, 40} {
		b := rowprog.NewBuilder("many", 2)
		x, w := b.Load(b.In("x", rowprog.F32, rowprog.Vec)), b.Load(b.In("w", rowprog.F32, rowprog.Row))
		for i := range sums {
			x = b.Apply(rowprog.OpAdd, x, w)
			b.Accumulate(b.Acc(fmt.Sprint("sum", i), rowprog.F32, rowprog.Vec, rowprog.Axes(1)), rowprog.Sum, x)
		}
		p := build(t, b)
		requireSameSums(t, fmt.Sprint(sums, " sums"), p, rand.New(rand.NewPCG(1, uint64(sums))), 3, 5, 70,
			backends(t, p))
	}
}

// accumulating makes a program that sums rows; if many, it does more with them.
func accumulating(t *testing.T, typ rowprog.Type, many bool) *rowprog.Program {
	b := rowprog.NewBuilder("sums", 2)
	x, w := b.Load(b.In("x", typ, rowprog.Vec)), b.Load(b.In("w", typ, rowprog.Row))
	y := b.Apply(rowprog.OpMul, x, w)
	if many {
		y = b.Apply(rowprog.OpAdd, y, b.Load(b.In("v", typ, rowprog.Vec)))
		y = b.Apply(rowprog.OpSub, y, b.Convert(b.Iota(1), typ))
		b.Accumulate(b.Acc("most", typ, rowprog.Vec, rowprog.Axes(0, 1)), rowprog.Max, x)
		b.Store(b.Out("z", typ, rowprog.Vec), y)
	}
	b.Accumulate(b.Acc("sum", typ, rowprog.Vec, rowprog.Axes(1)), rowprog.Sum, y)
	return build(t, b)
}

// requireSameSums runs kernels on batches of rows.
func requireSameSums(t *testing.T, name string, p *rowprog.Program, r *rand.Rand, batches, rows, n int,
	kernels []Kernel) {
	sizes := []int{batches, rows, n}
	var want [][]byte
	inputs := map[string][]byte{}
	for i, k := range kernels {
		a := launch.New(p)
		copy(a.Outer, sizes[:2])
		a.N = n
		var results [][]byte
		for j, o := range p.Operands {
			lasts := o.Access != rowprog.Acc
			steps, count := make([]int, 3), 1
			for axis := 2; axis >= 0; axis-- {
				isRow := axis == 2 && o.Domain == rowprog.Row
				if isRow || !lasts && axis < 2 && o.Reduced.Has(axis) || o.Name == "v" && axis == 1 {
					continue
				}
				steps[axis] = count
				count *= sizes[axis]
			}
			data := inputs[o.Name]
			if data == nil || o.Access != rowprog.In {
				data = make([]byte, max(count, 1)*o.Type.Size())
			}
			if o.Access == rowprog.In && inputs[o.Name] == nil {
				fillNumbers(r, o.Type, data)
				inputs[o.Name] = data
			}
			if o.Access != rowprog.In {
				results = append(results, data)
			}
			a.Ptr[j] = unsafe.Pointer(&data[0])
			copy(a.Stride[j], steps)
		}
		var s Scratch
		_, ok := k.Run(a, &s)
		require.True(t, ok, name)
		if i == 0 {
			want = results
		}
		require.Equal(t, want, results, "%s, kernel %d", name, i)
	}
}

// fillNumbers writes numbers of a type.
func fillNumbers(r *rand.Rand, typ rowprog.Type, data []byte) {
	for at := 0; at < len(data); at += typ.Size() {
		switch p := unsafe.Pointer(&data[at]); typ {
		case rowprog.F32:
			*(*float32)(p) = float32(r.NormFloat64())
		case rowprog.F64:
			*(*float64)(p) = r.NormFloat64()
		default:
			*(*int32)(p) = int32(r.IntN(2000) - 1000)
		}
	}
}
