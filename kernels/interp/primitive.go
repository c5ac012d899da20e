package interp

import (
	"github.com/broadloom/broadloom/kernels/internal/loops"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// arg is where an argument of an instruction is: in a register or, if reg is negative, a value outside of the row.
type arg struct {
	reg   int
	value rowprog.Value
	typ   rowprog.Type
}

// args finds the arguments of a primitive.
func (c *compiler) args(in *rowprog.Inst) []arg {
	args := make([]arg, in.Op.Arity())
	for i, x := range in.Uses() {
		def := &c.prog.Insts[x]
		args[i] = arg{reg: -1, value: x, typ: def.Type}
		if def.Domain == rowprog.Vec || !takesScalar(in.Op, i, def.Type) {
			args[i].reg = c.vector(x)
		}
	}
	return args
}

// primitiveStep makes the step of a primitive on vectors.
func primitiveStep(in *rowprog.Inst, dst int, args []arg) step {
	t := args[len(args)-1].typ // the operation's, of Select too
	if in.Op == rowprog.OpConvert {
		return convertStep(in.Type, t, dst, args[0].reg)
	}
	switch len(args) {
	case 1:
		return unaryStep(in.Op, t, dst, args[0].reg)
	case 2:
		op, x, y := in.Op, args[0], args[1]
		if m, ok := mirrored[op]; ok && x.reg < 0 {
			op, x, y = m, y, x
		}
		return binaryStep(op, t, dst, x, y)
	}
	return ternaryStep(in.Op, t, dst, args)
}

// mirrored maps an operation to the equivalent one with exchanged arguments. The payload of a NaN may differ, which is
// allowed.
var mirrored = map[rowprog.Op]rowprog.Op{
	rowprog.OpAdd: rowprog.OpAdd,
	rowprog.OpMul: rowprog.OpMul,
	rowprog.OpMax: rowprog.OpMax,
	rowprog.OpMin: rowprog.OpMin,
	rowprog.OpEq:  rowprog.OpEq,
	rowprog.OpNe:  rowprog.OpNe,
	rowprog.OpLt:  rowprog.OpGt,
	rowprog.OpGt:  rowprog.OpLt,
	rowprog.OpLe:  rowprog.OpGe,
	rowprog.OpGe:  rowprog.OpLe,
}

func ternaryStep(op rowprog.Op, t rowprog.Type, dst int, args []arg) step {
	x, y, z := args[0].reg, args[1].reg, args[2].reg
	if op == rowprog.OpSelect {
		return bySize(t, selectStep[uint8](dst, x, y, z), selectStep[uint16](dst, x, y, z),
			selectStep[uint32](dst, x, y, z), selectStep[uint64](dst, x, y, z))
	}
	if t == rowprog.F32 {
		return fmaStep(loops.FMA32, dst, x, y, z)
	}
	return fmaStep(loops.FMA64, dst, x, y, z)
}

func selectStep[T loops.Bits](dst, x, y, z int) step {
	return func(s *Scratch, n int) {
		loops.Select(vec[T](s, dst, n), vec[uint8](s, x, n), vec[T](s, y, n), vec[T](s, z, n))
	}
}

func fmaStep[T scalar.Float](f func(dst, x, y, z []T), dst, x, y, z int) step {
	return func(s *Scratch, n int) {
		f(vec[T](s, dst, n), vec[T](s, x, n), vec[T](s, y, n), vec[T](s, z, n))
	}
}
