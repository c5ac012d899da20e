package lower

import (
	"strings"

	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/exec/internal/outline"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// RepeatSpec is a loop as a kernel.
type RepeatSpec struct {
	Call     *outline.Call
	Body     *Program
	Operands []fusion.Operand // the operands of the Call, then its results
	Results  []int            // by result of the Call: the operand, or -1 if unused
	Scratch  *Buffer          // the body's buffers, and carried values between steps
}

// lowerRepeat compiles the body of a loop.
func (u *Program) lowerRepeat(k *fusion.Group) (Kernel, error) {
	a, _ := outline.CallOf(k.Nodes[0])
	spec := &RepeatSpec{Call: a.Call}
	for _, x := range k.Nodes[0].Operands() {
		spec.Operands = append(spec.Operands, fusion.Operand{Base: alias.Viewed(x), Layout: alias.LayoutOf(x)})
	}
	for range a.Call.Results {
		spec.Results = append(spec.Results, -1)
	}
	for _, n := range k.Nodes {
		a, _ := outline.CallOf(n)
		spec.Results[a.Result] = len(spec.Operands)
		spec.Operands = append(spec.Operands, fusion.Operand{Base: n, Layout: graph.RowMajor(n.Shape()), Write: true})
	}
	var err error
	spec.Body, err = u.CompileBody(a.Call.Body)
	return &Repeat{k, spec}, err
}

// bodyText formats the kernels of a loop's body.
func bodyText(k Kernel) string {
	r, isRepeat := k.(*Repeat)
	if !isRepeat {
		return ""
	}
	text := "\n" + ListText(r.Body.Kernels, KernelText)
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}
