package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// FailedCheck is the error of a check that failed in a kernel.
type FailedCheck struct {
	Node    *graph.Node // of the user's graph
	Message string
	Err     error // of a Go function; nil for a check
}

// Error tells what failed.
func (e *FailedCheck) Error() string { return e.Message }

// faultError describes a check that failed in a kernel.
func (s *State) faultError(k *LoopTask, f launch.Fault) error {
	what := &s.prog.RuntimeChecks[f.Code]
	return &FailedCheck{Node: what.Node.Source(), Message: what.Claim.Message + k.culprit(what, f)}
}

// culprit describes the wrong element of the operand that a check is about, and its value: ": target[3] is 12, not in
// 0..9".
func (k *LoopTask) culprit(what *lower.RuntimeCheck, f launch.Fault) string {
	base := what.On.Base
	if base == nil || k.Args.Elements() == 0 { // a row without elements has no position
		return ""
	}
	if _, isNumber := base.ScalarValue(); isNumber {
		return ""
	}
	at := elementAt(k.b.Shape(base.Shape()), k.elementOf(&what.On, f.Position))
	text := fmt.Sprintf(": %s%s is %s", calledIn(what.Node, base), at, literal(base.DType(), f.Value))
	if base.Source().IsPart() && what.Claim.Below == nil {
		text = ": found " + literal(base.DType(), f.Value) // a value that the operation itself made has no name
		if at != "" {
			text += " at " + at
		}
	}
	if below := what.Claim.Below; below != nil {
		size, least := k.b.Eval(*below), 0
		if what.Claim.FromEnd {
			least = -size
		}
		text += notIn(least, size)
	}
	return text
}

// calledIn is how an error of a node names an index that it takes: as the user calls that, or what the function that
// the user called converted. An index that was computed of what the user gave has no name of its own.
func calledIn(n, x *graph.Node) string {
	source := x.Source()
	switch {
	case source == n.Source() && (n.Op().Class == graph.Gather || n.Op().Class == graph.Function || n.Op().Indexed):
		return "index"
	case source.Name() != "" || !source.IsPart() || !slices.Contains(n.Source().Parts(), source):
		return x.Called()
	case len(source.Operands()) == 1 && source.Op().Class == graph.Elementwise &&
		source.DType() != source.In(0).DType():
		// a conversion keeps the value
		return calledIn(n, source.In(0))
	}
	return "index"
}

// notIn describes the range of valid indices.
func notIn(least, size int) string {
	if size == 0 {
		return ", but there are no elements"
	}
	return fmt.Sprintf(", not in %d..%d", least, size-1)
}

// elementOf returns which element of an operand's base the kernel uses at a position of its iteration.
func (k *LoopTask) elementOf(o *fusion.Operand, position int) int {
	at, strides := k.b.Eval(o.Layout.Offset), k.b.strides(*o)
	for group := len(k.Loop.Axes) - 1; group >= 0; group-- {
		axes := k.Loop.Axes[group]
		for i := len(axes) - 1; i >= 0; i-- {
			size := k.b.Eval(k.Loop.Space[axes[i]])
			at += position % size * strides[axes[i]]
			position /= size
		}
	}
	return at
}

// literal formats an element, given its bits in the dtype in which it is computed.
func literal(t graph.DType, bits uint64) string {
	if t == graph.Uint64 {
		return strconv.FormatUint(bits, 10)
	}
	text := rowprog.Literal(lower.TypeOf(t.Computed()), bits)
	if strings.HasPrefix(text, "nan") {
		return "NaN"
	}
	return text
}
