package backend

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/kernels/internal/aot"
	"github.com/broadloom/broadloom/kernels/internal/loops"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// special is numbers at which functions have special cases.
var special = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 2, -2, 3, -3, 0.75, 1.5, -2.5, 7, 1e-5, -1e-5, 1e-40,
	-1e-40, 5e-324,
	0x1p-1022, 0x1p-126, 1e300, -1e300, 1e38, -1e38, math.MaxFloat64, math.MaxFloat32, math.Inf(1), math.Inf(-1),
	math.NaN(), math.Pi,
	math.Pi / 2, math.Pi / 4, 710, -745, 88.8, -104, 6, 4, 1 << 40, 1<<40 + 1, 1e22, 6381956970095103 * 0x1p797,
	1 << 53, 1<<53 + 2, 1<<31 - 1,
	-1 << 31, 1 << 62, -1 << 63}

// numbers makes elements of a type: special ones, any bits, and ordinary numbers.
func numbers(r *rand.Rand, t rowprog.Type, n int) []uint64 {
	x := make([]uint64, n)
	for i := range x {
		v := special[r.IntN(len(special))]
		if r.IntN(3) == 0 {
			v = r.NormFloat64() * math.Exp(4*r.NormFloat64())
		}
		x[i] = scalar.Convert(t, rowprog.F64, math.Float64bits(v))
		if t != rowprog.Bool && r.IntN(4) == 0 {
			x[i] = r.Uint64() >> (64 - 8*t.Size())
		}
	}
	return x
}

// TestPrimitives applies every primitive to vectors of every type, as machine code for this processor and as emulated
// AVX-512 code: every bit must be that of package scalar.
func TestPrimitives(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	n := 4099
	if testing.Short() {
		n = 515
	}
	for _, op := range rowprog.Primitives() {
		for typ := rowprog.Bool; typ <= rowprog.F64; typ++ {
			if !op.Accepts(typ) || op == rowprog.OpConvert {
				continue
			}
			b := rowprog.NewBuilder(op.String(), 0)
			args, operands := make([]rowprog.Value, op.Arity()), make([][]uint64, op.Arity())
			for i := range args {
				of := typ
				if op == rowprog.OpSelect && i == 0 {
					of = rowprog.Bool
				}
				args[i] = b.Load(b.In("x", of, rowprog.Vec))
				operands[i] = numbers(r, of, n)
				if divides := op == rowprog.OpDiv || op == rowprog.OpRem ||
					op == rowprog.OpFloorDiv; divides && i == 1 && typ.IsInt() {
					for k, x := range operands[i] {
						operands[i][k] = max(x, 1) // by 0 is a fault
					}
				}
			}
			y := b.Apply(op, args...)
			b.Store(b.Out("y", b.TypeOf(y), rowprog.Vec), y)
			p := build(t, b)
			if cpu.Chosen() >= cpu.AVX2 && cpu.JIT() {
				k, err := Compile(p)
				require.NoError(t, err)
				require.True(t, k.Machine(), "%v of %v", op, typ)
				checkPrimitive(t, k, op, operands, n)
			}
			c, err := codegen.Compile(p, codegen.AVX512)
			require.NoError(t, err)
			checkPrimitive(t, emulate(t, p, c), op, operands, 515)
		}
	}
}

// checkPrimitive applies a kernel, whose only output is a primitive of its inputs, to n
// elements.
func checkPrimitive(t *testing.T, k Kernel, op rowprog.Op, inputs [][]uint64, n int) {
	p := k.Program()
	a := launch.New(p)
	a.N = n
	var result, last rowprog.Operand
	var results unsafe.Pointer
	in := 0
	for i, o := range p.Operands {
		memory := make([]uint64, n)
		a.Ptr[i], a.Stride[i][0] = unsafe.Pointer(&memory[0]), 1
		if o.Access == rowprog.Out {
			result, results = o, a.Ptr[i]
			continue
		}
		last = o
		if o.Domain == rowprog.Uniform {
			a.Stride[i][0] = 0
			inputs[in] = slices.Repeat(inputs[in][:1], len(inputs[in]))
		}
		for at := range n {
			loops.Store(o.Type, unsafe.Add(a.Ptr[i], at*a.Stride[i][0]*o.Type.Size()), inputs[in][at])
		}
		in++
	}
	fault, ok := k.Run(a, &Scratch{})
	require.True(t, ok, "%v: %v", op, fault)
	for at := range n {
		var x [3]uint64
		for i := range inputs {
			x[i] = inputs[i][at]
		}
		want := scalar.Apply(op, last.Type, x[0], x[1], x[2])
		got := loops.Load(result.Type, unsafe.Add(results, at*result.Type.Size()))
		nan := func(bits uint64) bool {
			return result.Type.IsFloat() && scalar.Apply(rowprog.OpNe, result.Type, bits, bits, 0) != 0
		}
		if got != want && !(nan(got) && nan(want)) {
			t.Fatalf("%v of %v: element %d: %s, want %s; of %s %s %s", op, last.Type, at,
				rowprog.Literal(result.Type, got),
				rowprog.Literal(result.Type, want), rowprog.Literal(last.Type, x[0]), rowprog.Literal(last.Type, x[1]),
				rowprog.Literal(last.Type, x[2]))
		}
	}
}

// TestStaticAVX512 emulates the AVX-512 code of package aot.
func TestStaticAVX512(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, key := range aot.Keys() {
		p, err := aot.Program(key)
		require.NoError(t, err)
		c, err := codegen.Compile(p, codegen.AVX512)
		require.NoError(t, err)
		made, err := aot.Code(key, cpu.AVX512)
		require.NoError(t, err)
		require.Equal(t, made, c.Bytes) // what the file holds, by the test of that package
		var inputs [][]uint64
		for _, o := range p.Operands {
			if o.Access == rowprog.In {
				inputs = append(inputs, numbers(r, o.Type, 131))
			}
		}
		checkPrimitive(t, emulate(t, p, c), key.Op, inputs, 131)
	}
}
