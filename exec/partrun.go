package exec

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/bind"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// boundPart is a row program with its arguments.
type boundPart struct {
	part *part
	args *bind.Args
}

func (k *boundPart) point(operand int, p unsafe.Pointer) { k.args.Ptr[operand] = p }

func (k *boundPart) run(s *Session) error {
	if fault, ok := k.part.kernel.Run(k.args, &s.scratch); !ok {
		return s.faultError(k.part, fault)
	}
	return nil
}

// bindPart evaluates the sizes and strides of a row program.
func (b *binding) bindPart(p *Program, part *part) step {
	a := bind.New(part.prog)
	last := len(part.axes) - 1
	a.N = 1
	for at, axes := range part.axes {
		size := 1
		for _, axis := range axes {
			size *= b.eval(part.domain[axis])
		}
		if at == last {
			a.N = size
		} else {
			a.Outer[at] = size
		}
	}
	for i, o := range part.operands {
		if o.base == nil {
			continue
		}
		strides := b.strides(o)
		for at, axes := range part.axes {
			if len(axes) > 0 {
				a.Stride[i][at] = strides[axes[len(axes)-1]]
			}
		}
		if last < 0 && part.prog.Operands[i].Domain == rowprog.Vec {
			a.Stride[i][0] = 1 // of one element
		}
	}
	s := b.newStep(p, part.operands)
	s.kernel = &boundPart{part, bind.Coalesce(part.prog, a)}
	return s
}
