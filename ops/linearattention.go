package ops

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// A LinearAttentionOption changes [LinearAttention].
type LinearAttentionOption func(*linearAttention)

// linearAttention is what the options say.
type linearAttention struct {
	state, decay, beta node
	scale              *float64
	words              []any
}

// operand notes an operand; nil is none.
func (a *linearAttention) operand(at *node, name string, x node) {
	if *at = x; x != nil {
		a.words = append(a.words, optional{name, x})
	}
}

// LinearState sets the state before the first step, [B, H, D, E]. The default is 0.
func LinearState(state *graph.Node) LinearAttentionOption {
	return func(a *linearAttention) { a.operand(&a.state, "LinearState", state) }
}

// LinearDecay multiplies the state by exp(decay) before each step. decay is [B, H, T, D] or [B, H, T, 1].
func LinearDecay(decay *graph.Node) LinearAttentionOption {
	return func(a *linearAttention) { a.operand(&a.decay, "LinearDecay", decay) }
}

// LinearBeta selects the delta rule: for a key k, beta·(v - kS) is added instead of v, where S is the state. beta is
// [B, H, T, 1] or [B, 1, T, 1].
func LinearBeta(beta *graph.Node) LinearAttentionOption {
	return func(a *linearAttention) { a.operand(&a.beta, "LinearBeta", beta) }
}

// LinearScale sets the factor of results. The default is 1/sqrt(D).
func LinearScale(x float64) LinearAttentionOption {
	return func(a *linearAttention) { a.scale = &x; a.words = append(a.words, fmt.Sprintf("LinearScale(%v)", x)) }
}

// LinearAttention returns scale·qS for each time step, and the last state S. In each step, kᵀv is added to the state
// before it is read. q is [B, H·r, T, D], where r query heads read one state. k is [B, H, T, D], v [B, H, T, E], y
// [B, H·r, T, E], and the state [B, H, D, E]. Options are [LinearState], [LinearDecay], [LinearBeta] and
// [LinearScale]. Operands have one floating-point dtype; for 16-bit dtypes the state is Float32 between steps. It is
// ONNX's LinearAttention, with heads as an axis. Sources: A. Katharopoulos et al., Transformers are RNNs, 2020; for
// the delta rule, S. Yang et al., Parallelizing Linear Transformers with the Delta Rule, 2024.
func LinearAttention(q, k, v *graph.Node, options ...LinearAttentionOption) (y, last *graph.Node) {
	a := linearAttention{}
	for _, o := range options {
		if o != nil {
			o(&a)
		}
	}
	defer building("LinearAttention", append([]any{q, k, v}, a.words...)...)()
	defer joining(&q, &k, &v, &a.state, &a.decay, &a.beta)()
	call := refused("LinearAttention", append([]node{q, k, v}, given(nil, a.state, a.decay, a.beta)[1:]...)...)
	if bad := notTensors(call); bad != nil {
		return bad, bad
	}
	shared, bad := a.check(call)
	if bad != nil {
		return bad, bad
	}
	sizes := a.matches(q, k, v)
	if bad := call.mismatch(graph.CodeOperand, sizes); bad != nil {
		return bad, bad
	}
	in, round := computedWide(q, k, v, a.state, a.decay, a.beta)
	q, k, v, a.state, a.decay, a.beta = in[0], in[1], in[2], in[3], in[4], in[5]
	y, last = a.steps(q, k, v, shared)
	y, last = round(y), round(last)
	requireMatches(y, sizes)
	return y, last
}

// check refuses dtypes, ranks and heads, and returns how many heads of queries read one state.
func (a *linearAttention) check(call refusedCall) (shared graph.Dim, bad node) {
	q, k := call.in[0], call.in[1]
	for _, x := range call.in {
		switch {
		case x.Rank() != 4:
			return 0, call.wrong(graph.CodeRank, "operands must have 4 axes, [B, H, T, D], but %s has shape %s",
				x.Called(), x.Shape())
		case !x.DType().IsFloat() || x.DType() != q.DType():
			return 0, call.wrongDType(oneFloat(call.in...), "%s", notOneFloat(x, q))
		}
	}
	shared, whole := q.Shape()[1].ExactDiv(k.Shape()[1])
	if !whole {
		return 0, call.wrong(graph.CodeOperand, "%s has %s heads, which is not a multiple of the %s of %s", q.Called(),
			q.Shape()[1], k.Shape()[1], k.Called())
	}
	return shared, nil
}

// matches are the sizes that must be those of q, k and v. Decay may have one number for each head, and beta one for all
// heads.
func (a *linearAttention) matches(q, k, v node) (list []sizeMatch) {
	add := func(x node, axis int, want graph.Dim) {
		list = append(list, axisMatch(x, axis, want, "the operands of linear attention must match"))
	}
	all := func(x node, sizes ...graph.Dim) {
		for axis, want := range sizes {
			add(x, axis, want)
		}
	}
	s, e := k.Shape(), v.Shape()[3]
	all(q, s[0], q.Shape()[1], s[2], s[3])
	all(v, s[0], s[1], s[2])
	if a.state != nil {
		all(a.state, s[0], s[1], s[3], e)
	}
	if a.decay != nil {
		all(a.decay, s[0], s[1], s[2])
		if a.decay.Shape()[3] != 1 {
			add(a.decay, 3, s[3])
		}
	}
	if a.beta != nil {
		all(a.beta, s[0], a.beta.Shape()[1], s[2], 1)
		if a.beta.Shape()[1] != 1 {
			add(a.beta, 1, s[1])
		}
	}
	return list
}

// steps is the loop over time.
func (a *linearAttention) steps(q, k, v node, shared graph.Dim) (y, last node) {
	state, s := a.state, k.Shape()
	if state == nil {
		state = Zeros(q.Graph(), q.DType(), s[0], s[1], s[3], v.Shape()[3])
	}
	factor := (&attention{scale: a.scale}).factor(q)
	over := given(q, k, v, a.decay, a.beta)
	final, outs := Scan(Loop{Carry: []node{state}, Over: over, Axis: 2}, func(carry, x []node) (next, out []node) {
		s, q, k, v := carry[0], x[0], x[1], x[2]
		if a.decay != nil {
			s = Mul(s, Unsqueeze(Exp(x[3]), -1))
		}
		if a.beta != nil {
			v = Mul(x[len(x)-1], Sub(v, Sum(Mul(s, Unsqueeze(k, -1)), Axis(-2))))
		}
		s = Add(s, Mul(Unsqueeze(k, -1), Unsqueeze(v, -2)))
		read := Sum(Mul(Unsqueeze(q, -1), RepeatInterleave(s, 1, shared)), Axis(-2))
		return []node{s}, []node{Mul(read, factor)}
	})
	return outs[0], final[0]
}

func init() {
	composed("LinearAttention",
		"the values that queries read from a state to which keys and values are added step by step, and the last state.",
		named("", "", "", "LinearAttention", "", func(e *graph.Example) node {
			return e.Several(LinearAttention(e.Of("q", "b", "4", "t", "3"), e.Of("k", "b", "2", "t", "3"),
				e.Of("v", "b", "2", "t", "5"), LinearBeta(e.Of("beta", "b", "2", "t", "1"))))
		}))
}
