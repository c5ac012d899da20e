package aot

import (
	"fmt"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

//go:generate go run ./gen

// Key names a primitive of up to three operands.
type Key struct {
	Op   rowprog.Op
	Type rowprog.Type // of the operands; for OpSelect, of the second and third
	// Scalar is the operand that is one element and not a vector: 1 for the first, 2 for the second, 0 for none.
	Scalar int
}

// Block holds the arguments of a call. It may be reused.
type Block [blockWords]uint64

// blockWords is the size of a block of arguments in words of 64 bits.
const blockWords = 640

// Func applies a primitive to the vectors of a block.
type Func func(*Block)

// Lookup returns the code of a primitive, or nil if there is none for this machine.
func Lookup(k Key) Func { return tables[cpu.Chosen()][k] }

// Run applies a primitive to n elements. The result may be one of the operands.
func (b *Block) Run(f Func, n int, result unsafe.Pointer, operands ...unsafe.Pointer) {
	l := codegen.Layout{Operands: 1 + len(operands)}
	b.put(l.N(), uintptr(n))
	b.put(l.Pointer(0), uintptr(result))
	for i, p := range operands {
		b.put(l.Pointer(1+i), uintptr(p))
	}
	f(b)
}

func (b *Block) put(offset int, v uintptr) { b[offset/8] = uint64(v) }

// Keys lists the primitives with code.
func Keys() (keys []Key) {
	floats := []rowprog.Type{rowprog.F32, rowprog.F64}
	for _, t := range floats {
		for op := rowprog.OpNeg; op <= rowprog.OpCos; op++ {
			keys = append(keys, Key{op, t, 0})
		}
		for _, op := range []rowprog.Op{rowprog.OpRem, rowprog.OpFloorDiv, rowprog.OpPow, rowprog.OpAtan2} {
			keys = append(keys, Key{op, t, 0})
		}
		for _, op := range []rowprog.Op{rowprog.OpAdd, rowprog.OpMul, rowprog.OpMax, rowprog.OpMin, rowprog.OpLt,
			rowprog.OpLe,
			rowprog.OpGt, rowprog.OpGe, rowprog.OpEq, rowprog.OpNe} {
			keys = append(keys, Key{op, t, 0}, Key{op, t, 2})
		}
		for _, op := range []rowprog.Op{rowprog.OpSub, rowprog.OpDiv} {
			keys = append(keys, Key{op, t, 0}, Key{op, t, 1}, Key{op, t, 2})
		}
		keys = append(keys, Key{rowprog.OpSelect, t, 0}, Key{rowprog.OpFMA, t, 0})
	}
	return keys
}

// Program makes the program of a primitive. Its operands are the result and the
// primitive's own.
func Program(k Key) (*rowprog.Program, error) {
	b := rowprog.NewBuilder(k.Op.String(), 0)
	result := k.Type
	if k.Op >= rowprog.OpLt && k.Op <= rowprog.OpNe {
		result = rowprog.Bool
	}
	out := b.Out("result", result, rowprog.Vec)
	x := make([]rowprog.Value, k.Op.Arity())
	for i := range x {
		t, d := k.Type, rowprog.Vec
		if k.Op == rowprog.OpSelect && i == 0 {
			t = rowprog.Bool
		}
		if k.Scalar == i+1 {
			d = rowprog.Uniform
		}
		x[i] = b.Load(b.In("xyz"[i:i+1], t, d))
	}
	b.Store(out, b.Apply(k.Op, x...))
	return b.Build()
}

// Target is the code generator's target for a set of vector instructions.
func Target(isa cpu.ISA) codegen.Target {
	switch isa {
	case cpu.AVX512:
		return codegen.AVX512
	case cpu.NEON:
		return codegen.NEON
	}
	return codegen.AVX2
}

// Code makes the code of a primitive.
func Code(k Key, isa cpu.ISA) ([]byte, error) {
	p, err := Program(k)
	if err != nil {
		return nil, err
	}
	c, err := codegen.Compile(p, Target(isa))
	if err != nil {
		return nil, err
	}
	if c.Layout.Size > 8*blockWords {
		return nil, fmt.Errorf("aot: %v needs %d bytes of arguments", k, c.Layout.Size)
	}
	return c.Bytes, nil
}
