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

// byteProgram computes a random expression of two operands of a byte, and stores it as a type of a byte.
func byteProgram(t *testing.T, r *rand.Rand, x, y, result rowprog.Type) *rowprog.Program {
	b := rowprog.NewBuilder("bytes", 0)
	second := b.In("y", y, rowprog.Vec)
	var first, to int
	if x == result && r.IntN(2) == 0 {
		first = b.InOut("x", x, rowprog.Vec)
		to = first
	} else {
		first, to = b.In("x", x, rowprog.Vec), b.Out("z", result, rowprog.Vec)
	}
	computed := func(v rowprog.Value) rowprog.Value { return b.Convert(v, b.TypeOf(v).Computed()) }
	values := []rowprog.Value{computed(b.Load(first)), computed(b.Load(second)),
		b.ConstInt(rowprog.I32, r.Int64N(600)-300), b.ConstInt(rowprog.I32, r.Int64N(3)-1)}
	unary := []rowprog.Op{rowprog.OpNeg, rowprog.OpAbs, rowprog.OpSign, rowprog.OpNot}
	for range 1 + r.IntN(5) {
		v, u := values[r.IntN(len(values))], values[r.IntN(len(values))]
		switch isBool := b.TypeOf(v) == rowprog.Bool; r.IntN(4) {
		case 0:
			if isBool {
				v = b.Apply(rowprog.OpNot, v)
			} else {
				v = b.Apply(unary[r.IntN(len(unary))], v)
			}
		case 1:
			narrow := []rowprog.Type{rowprog.Bool, rowprog.U8, rowprog.I8}[r.IntN(3)]
			if isBool {
				v = b.Convert(v, rowprog.I32)
			}
			v = computed(b.Convert(v, narrow))
		case 2:
			condition := b.Convert(values[r.IntN(len(values))], rowprog.Bool)
			v = b.Apply(rowprog.OpSelect, condition, v, b.Convert(u, b.TypeOf(v)))
		default:
			ops := []rowprog.Op{rowprog.OpAdd, rowprog.OpSub, rowprog.OpMul, rowprog.OpMax, rowprog.OpMin}
			if isBool || r.IntN(2) == 0 {
				ops = []rowprog.Op{rowprog.OpAnd, rowprog.OpOr, rowprog.OpXor, rowprog.OpLt, rowprog.OpLe, rowprog.OpGt,
					rowprog.OpGe, rowprog.OpEq, rowprog.OpNe}
			}
			v = b.Apply(ops[r.IntN(len(ops))], v, b.Convert(u, b.TypeOf(v)))
		}
		values = append(values, v)
	}
	last := values[len(values)-1]
	if result != rowprog.Bool {
		last = b.Convert(last, rowprog.I32)
	}
	b.Store(to, b.Convert(last, result))
	return build(t, b)
}

// Expressions of Bools and integers of 8 bits have the bits of the interpreter, for rows of any length. Nothing behind
// them is written.
func TestExpressionsOfBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	types := []rowprog.Type{rowprog.Bool, rowprog.U8, rowprog.I8}
	for range 300 {
		x, y, result := types[r.IntN(3)], types[r.IntN(3)], types[r.IntN(3)]
		p := byteProgram(t, r, x, y, result)
		ways := bothWays(t, p)
		for _, n := range []int{1 + r.IntN(63), 64 * (1 + r.IntN(6)), 300 + r.IntN(300)} {
			var in [2][]byte
			for i, typ := range []rowprog.Type{y, x} {
				in[i] = make([]byte, n+1)
				for at := range in[i] {
					in[i][at] = byte(r.IntN(256))
					if typ == rowprog.Bool {
						in[i][at] &= 1
					}
				}
			}
			var got [2][2][]byte
			for i, run := range ways {
				first, out := append([]byte{}, in[1]...), append([]byte{}, in[1]...)
				a := launch.New(p)
				a.N = n
				for j, m := range [][]byte{in[0], first, out}[:len(p.Operands)] {
					a.Ptr[j], a.Stride[j] = unsafe.Pointer(&m[0]), []int{1}
				}
				run(a)
				got[i] = [2][]byte{first, out}
			}
			require.Equal(t, got[0], got[1], "%d elements of\n%v", n, p)
		}
	}
}

// BenchmarkBytes measures operations on a million bytes.
func BenchmarkBytes(bench *testing.B) {
	for _, c := range []struct {
		typ rowprog.Type
		op  rowprog.Op
	}{{rowprog.Bool, rowprog.OpAnd}, {rowprog.U8, rowprog.OpAdd}, {rowprog.U8, rowprog.OpMul},
		{rowprog.I8, rowprog.OpMax}, {rowprog.U8, rowprog.OpLt}} {
		bench.Run(fmt.Sprint(c.op, " of ", c.typ), func(bench *testing.B) {
			b := rowprog.NewBuilder("bytes", 0)
			x, y := b.In("x", c.typ, rowprog.Vec), b.In("y", c.typ, rowprog.Vec)
			computed := c.typ.Computed()
			v := b.Apply(c.op, b.Convert(b.Load(x), computed), b.Convert(b.Load(y), computed))
			result := c.typ
			if b.TypeOf(v) == rowprog.Bool {
				result = rowprog.Bool
			}
			b.Store(b.Out("z", result, rowprog.Vec), b.Convert(v, result))
			p := build(bench, b)
			k, err := Compile(p)
			require.NoError(bench, err)
			a := launch.New(p)
			a.N = 1_000_000
			for i := range a.Ptr {
				a.Ptr[i], a.Stride[i] = unsafe.Pointer(&make([]byte, a.N)[0]), []int{1}
			}
			var s Scratch
			for bench.Loop() {
				k.Run(a, &s)
			}
		})
	}
}
