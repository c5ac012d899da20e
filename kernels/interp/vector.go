package interp

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/internal/aot"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// vectorStep makes the step of a primitive with vector code, or returns nil.
func (c *compiler) vectorStep(in *rowprog.Inst, dst int, args []arg) step {
	if !c.vectors || in.Op == rowprog.OpConvert {
		return nil
	}
	k := aot.Key{Op: in.Op, Type: args[len(args)-1].typ}
	for i, x := range args {
		if x.reg < 0 {
			k.Scalar = i + 1
		}
	}
	if m, ok := mirrored[in.Op]; ok && k.Scalar == 1 {
		k.Op, k.Scalar = m, 2
		args = []arg{args[1], args[0]}
	}
	f := aot.Lookup(k)
	if f == nil {
		return nil
	}
	at := func(s *Scratch, x arg) unsafe.Pointer {
		if x.reg < 0 {
			return unsafe.Pointer(&s.value[x.value])
		}
		return s.reg[x.reg]
	}
	switch len(args) {
	case 1:
		return func(s *Scratch, n int) { s.block.Run(f, n, s.reg[dst], at(s, args[0])) }
	case 2:
		return func(s *Scratch, n int) { s.block.Run(f, n, s.reg[dst], at(s, args[0]), at(s, args[1])) }
	}
	return func(s *Scratch, n int) {
		s.block.Run(f, n, s.reg[dst], at(s, args[0]), at(s, args[1]), at(s, args[2]))
	}
}
