package ops

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// refusedCall is a call of a function that would have built several nodes.
type refusedCall struct {
	fn   string
	in   []node
	args refusedArgs
}

// refusedArgs are its fixed arguments as the user wrote them, before and behind the
// operands.
type refusedArgs struct{ Before, After []any }

// Args writes the fixed arguments.
func (a refusedArgs) Args(operands []string) []string {
	return after(append(after(nil, a.Before...), operands...), a.After...)
}

// refused is a call on operands.
func refused(fn string, in ...node) refusedCall { return refusedCall{fn: fn, in: in} }

// with is the call with fixed arguments behind the operands.
func (r refusedCall) with(after ...any) refusedCall {
	r.args.After = after
	return r
}

// refusal is the node for a mistake of a function that builds several nodes. A nil mistake has been reported at an
// operand.
func refusal(r refusedCall, m *graph.Mistake) node {
	return graph.Refused(r.fn, r.args, m, r.in...)
}

// refusedBy is the node for the mistake that a rule finds.
func refusedBy(r refusedCall, rule func(*graph.Call)) node {
	return graph.RefusedBy(r.fn, r.args, rule, r.in...)
}

// written are the arguments of a call as the user wrote them, with nil in the places of operands.
type written []any

// optional is an option of a call that holds an operand.
type optional struct {
	name string
	of   node
}

// Args writes the arguments.
func (w written) Args(operands []string) (words []string) {
	for _, a := range w {
		option, isOption := a.(optional)
		switch {
		case a != nil && !isOption:
			words = append(words, goWord(a))
		case len(operands) == 0:
		case isOption:
			words, operands = append(words, option.name+"("+operands[0]+")"), operands[1:]
		default:
			words, operands = append(words, operands[0]), operands[1:]
		}
	}
	return append(words, operands...)
}

// building says that the nodes built until end are the parts of a call with the given arguments:
// operands and others, as the user wrote them. Messages speak of the call.
func building(fn string, args ...any) (end func()) {
	var in []node
	for i, a := range args {
		switch x := a.(type) {
		case node:
			in = append(in, x)
			args[i] = nil
		case optional:
			in = append(in, x.of)
			args[i] = optional{name: x.name}
		}
	}
	return graph.BeginCall(fn, written(args), in...)
}

// axis counts an axis of the first operand from 0, or returns the refusal of one that there is not.
func (r refusedCall) axis(axis int) (at int, bad node) {
	rank := r.in[0].Rank()
	switch {
	case rank == 0:
		return 0, refusal(r, scalarAxis(axis))
	case axis < -rank || axis >= rank:
		return 0, refusedBy(r, func(c *graph.Call) { rules.Axis(c, axis, rank) })
	}
	return countedFromZero([]int{axis}, rank)[0], nil
}

// wrong is the refusal of the call with a sentence.
func (r refusedCall) wrong(code graph.Code, format string, args ...any) node {
	return refusal(r, &graph.Mistake{Code: code, Summary: fmt.Sprintf(format, args...)})
}

// wrongDType is wrong of operands that should have other dtypes.
func (r refusedCall) wrongDType(casts []graph.Casting, format string, args ...any) node {
	return refusal(r, &graph.Mistake{Code: graph.CodeDType, Casts: casts, Summary: fmt.Sprintf(format, args...)})
}

// cast says that an operand should have another dtype.
func cast(x node, to graph.DType) []graph.Casting { return []graph.Casting{{Node: x, To: to}} }

// oneDType says that operands should all have a dtype that has the numbers of all.
func oneDType(in ...node) (casts []graph.Casting) {
	to := in[0].DType()
	for _, x := range in[1:] {
		to, _ = graph.Common(to, x.DType())
	}
	for _, x := range in {
		if x.DType() != to {
			casts = append(casts, graph.Casting{Node: x, To: to})
		}
	}
	return casts
}

// oneFloat says that operands should all have one floating-point dtype: that of the widest of them, or Float32.
func oneFloat(in ...node) []graph.Casting { return floatOf(0, in) }

// notOneFloat says that an operand does not have the floating-point dtype of the first one.
func notOneFloat(x, first node) string {
	if !x.DType().IsFloat() {
		return fmt.Sprintf("operands must have the same floating-point dtype, but %s has dtype %s", x.Called(), x.DType())
	}
	return fmt.Sprintf("operands must have the same floating-point dtype, but %s has %s and %s has %s", x.Called(),
		x.DType(), first.Called(), first.DType())
}

// oneWideFloat is oneFloat with at least 32 bits.
func oneWideFloat(in ...node) []graph.Casting { return floatOf(graph.Float32.Bits(), in) }

func floatOf(bits int, in []node) (casts []graph.Casting) {
	to := graph.InvalidDType
	for _, x := range in {
		switch t := x.DType(); {
		case !t.IsFloat() || t.IsStorage():
		case !to.Valid():
			to = t
		default:
			to, _ = graph.Common(to, t)
		}
	}
	if !to.Valid() || to.Bits() < bits {
		to = graph.Float32
	}
	for _, x := range in {
		if x.DType() != to {
			casts = append(casts, graph.Casting{Node: x, To: to})
		}
	}
	return casts
}

// sizeMatch is two sizes of a call that must be one, and what is said where they are not.
type sizeMatch struct {
	have, want graph.Dim
	why, text  string
}

// axisMatch is that an axis has the wanted number of elements.
func axisMatch(x node, axis int, want graph.Dim, why string) sizeMatch {
	have := x.Shape()[axis]
	return sizeMatch{have, want, why, fmt.Sprintf(
		"axis %d of %s has %s elements, but must have %s", axis, x.Called(), have, want)}
}

func (m sizeMatch) need() graph.Requirement {
	return graph.Requirement{Kind: graph.MustEqual, A: m.have, B: m.want, Why: m.why}
}

// mismatch is the refusal of the call where two sizes cannot be one; nil where all may be.
func (r refusedCall) mismatch(code graph.Code, sizes []sizeMatch) node {
	p := prove.NewProver(r.in[0].Graph().Bounds)
	for _, m := range sizes {
		if p.Judge(m.need()) == prove.Refused {
			return r.wrong(code, "%s", m.text)
		}
	}
	return nil
}

// requireMatches requires of a node what [refusedCall.mismatch] cannot tell before sizes are known.
func requireMatches(n node, sizes []sizeMatch) {
	for _, m := range sizes {
		if n.Judged() {
			requireSizes(n, m.need(), m.text)
		}
	}
}
