package exec

import (
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/bind"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// failedCheck is a check that failed in a kernel.
type failedCheck struct {
	node    *graph.Node // of the user's graph
	message string
}

// Error tells what failed.
func (e *failedCheck) Error() string { return e.message }

// faultError tells of a check that failed in a kernel.
func (s *state) faultError(k *boundPart, f bind.Fault) error {
	what := &s.prog.faults[f.Code]
	return &failedCheck{what.node.Source(), what.claim.Message + k.culprit(what, f)}
}

// culprit tells which element of the operand that a check is about is at fault, and its value:
// ": target[3] is 12, not in 0..9".
func (k *boundPart) culprit(what *fault, f bind.Fault) string {
	base := what.on.base
	if base == nil || k.args.Elements() == 0 { // a row without elements has no position
		return ""
	}
	if _, isNumber := base.ScalarValue(); isNumber {
		return ""
	}
	at := elementAt(k.b.shape(base.Shape()), k.elementOf(&what.on, f.Position))
	text := fmt.Sprintf(": %s%s is %s", base.Called(), at, literal(typeOf(base.DType()), f.Value))
	if below := what.claim.Below; below != nil {
		text += fmt.Sprintf(", not in 0..%d", k.b.eval(*below)-1)
	}
	return text
}

// elementOf gives the element of an operand, counted in the memory of its base, that the kernel
// takes at a position of its program's iteration.
func (k *boundPart) elementOf(o *operand, position int) int {
	at, strides := k.b.eval(o.layout.Offset), k.b.strides(*o)
	for group := len(k.part.axes) - 1; group >= 0; group-- {
		axes := k.part.axes[group]
		for i := len(axes) - 1; i >= 0; i-- {
			size := k.b.eval(k.part.domain[axes[i]])
			at += position % size * strides[axes[i]]
			position /= size
		}
	}
	return at
}

// literal writes an element that has the bits.
func literal(t rowprog.Type, bits uint64) string {
	text := rowprog.Literal(t, bits)
	if strings.HasPrefix(text, "nan") {
		return "NaN"
	}
	return text
}
