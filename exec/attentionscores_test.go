package exec_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// scoreForms are forms of attention in which scores are more than a product, or weights no softmax.
var scoreForms = []attentionForm{
	{"sum of two products", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		s := ops.Add(scaledScores(q, k), ops.MatMul(byHead(q), f.learn(4, 8, f.len)))
		return weighed(ops.MaskedFill(s, f.hidden(), lowest), v)
	}},
	{"sum of three products", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		r, p := f.learn(4, 8, f.len), f.learn(4, f.len, 8)
		s := ops.Add(ops.MatMul(byHead(q), r), ops.MatMul(p, ops.Transpose(byHead(k), 2, 3)))
		return weighed(ops.Div(ops.Add(scaledScores(q, k), s), f.num(math.Sqrt(3))), v)
	}},
	{"product of two products", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		return weighed(ops.Mul(scaledScores(q, k), ops.Sigmoid(ops.MatMul(byHead(q), f.learn(4, 8, f.len)))), v)
	}},
	{"learned bias of keys", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		return weighed(ops.Add(scaledScores(q, k), f.learn(f.batch, 1, 1, f.len)), v)
	}},
	{"learned bias of keys by head", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		return weighed(ops.Add(scaledScores(q, k), f.learn(4, 1, f.len)), v)
	}},
	{"learned bias of queries and scale", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		s := ops.Mul(ops.Tanh(ops.Add(scaledScores(q, k), f.learn(4, f.len, 1))), f.learn(4, 1, 1))
		return weighed(s, v)
	}},
	{"weights by sigmoid", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		w := ops.Sigmoid(ops.Sub(scaledScores(q, k), ops.Log(ops.Cast(ops.Size(f.g, graph.Int64, f.len), f.dt))))
		return byHead(ops.MatMul(w, byHead(v)))
	}},
	{"weights by squares", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		w := ops.Square(ops.Relu(ops.MaskedFill(scaledScores(q, k), f.hidden(), f.num(0))))
		return byHead(ops.MatMul(w, byHead(v)))
	}},
	{"weights by distance", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		decay := ops.Where(f.hidden(), f.num(0), ops.Exp(ops.Mul(f.slopes(), f.distance())))
		return byHead(ops.MatMul(ops.Mul(scaledScores(q, k), decay), byHead(v)))
	}},
	{"learned slopes", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		s := ops.Add(scaledScores(q, k), ops.Mul(f.learn(1, 4, 1, 1), f.distance()))
		return weighed(ops.MaskedFill(s, f.hidden(), lowest), v)
	}},
	{"learned slopes of logarithms", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		far := ops.Div(ops.Log1p(ops.Abs(f.distance())), ops.Softplus(f.learn(4, 1, 1)))
		return weighed(ops.Sub(scaledScores(q, k),
			ops.Where(f.hidden(), ops.Neg(ops.Mul(far, f.learn(4, 1, 1))), f.num(0))), v)
	}},
	{"one learned slope", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		return weighed(ops.Sub(scaledScores(q, k), ops.Mul(f.learn(), ops.Abs(f.distance()))), v)
	}},
	{"difference of softmaxes", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		half := func(x *graph.Node, at graph.Dim) *graph.Node { return ops.Slice(byHead(x), 3, 4*at, 4*at+4, 1) }
		part := func(at graph.Dim) *graph.Node {
			s := ops.Mul(ops.MatMul(half(q, at), ops.Transpose(half(k, at), 2, 3)), f.num(0.5))
			return ops.Softmax(ops.MaskedFill(s, f.hidden(), lowest), -1)
		}
		return byHead(ops.MatMul(ops.Sub(part(0), ops.Mul(f.learn(4, 1, 1), part(1))), byHead(v)))
	}},
	{"weights over their sum", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		decay := ops.Where(f.hidden(), f.num(0), ops.Exp(ops.Mul(f.slopes(), f.distance())))
		s := ops.Mul(scaledScores(q, k), decay)
		s = ops.Div(s, ops.Maximum(ops.Abs(ops.Sum(s, -1, ops.KeepDims())), f.num(1)))
		return byHead(ops.MatMul(s, byHead(v)))
	}},
}

// inBranch is a form in a branch that is taken.
func inBranch(a attentionForm) attentionForm {
	of := a.apply
	a.name, a.apply = a.name+" in a branch", func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		always := ops.Less(ops.Size(f.g, graph.Int64, f.len), graph.Num(1<<30))
		return ops.Cond(always, func() []*graph.Node { return []*graph.Node{of(f, q, k, v)} },
			func() []*graph.Node { return []*graph.Node{ops.Mul(q, f.num(3))} })[0]
	}
	return a
}

// inSteps is a form that steps of a loop repeat.
func inSteps(a attentionForm) attentionForm {
	of := a.apply
	a.name, a.apply = a.name+" in steps", func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		final, _ := ops.Scan(ops.Loop{Carry: []*graph.Node{q}, Length: 2},
			func(carry, _ []*graph.Node) (next, out []*graph.Node) {
				return []*graph.Node{of(f, carry[0], ops.Add(k, carry[0]), ops.Mul(v, carry[0]))}, nil
			})
		return final[0]
	}
	return a
}

// allForms are the forms of attention, and some of them in branches and loops.
func allForms() []attentionForm {
	list := slices.Concat(attentionForms, scoreForms, axesForms, sinkForms, flatForms)
	for _, a := range slices.Clone(list) {
		switch a.name {
		case "einsum", "einsum of heads", "ALiBi", "weights by sigmoid", "weights by distance", "heads last", "a sink":
			list = append(list, inBranch(a), inSteps(a))
		}
	}
	return list
}

// Scores have the values and gradients that they have with each sum as it is written, no value computed twice and
// nothing in blocks; and those in a branch that is taken have them too.
func TestFormsOfScoresComputeWhatIsWritten(t *testing.T) {
	const length = 37
	numbers := func(t *testing.T, a attentionForm, options ...exec.Option) [][]uint64 {
		g := graph.New("form")
		outputs := a.trained(g, graph.Float64, 2, g.Dim("length"))
		return results(t, g, outputs, feedOf(g, length, length+1), 2, options...)
	}
	for _, a := range allForms()[len(attentionForms):] {
		t.Run(a.name, func(t *testing.T) {
			restore := exec.WithoutPass("recompute")
			exec.WithoutPass("rematerialize")
			exec.WithoutPass("sum-rows")
			exec.WithoutPass("score-axes")
			exec.WithoutPass("late-sums")
			exec.WithoutPass("split-scores")
			want := numbers(t, a, exec.ChainsOf(0))
			restore()
			for form, got := range map[string][][]uint64{
				"as it is":    numbers(t, a, exec.ChainsOf(14)),
				"in a branch": numbers(t, inBranch(a), exec.ChainsOf(14))} {
				for i := range want {
					for at := range want[i] {
						require.InDelta(t, math.Float64frombits(want[i][at]), math.Float64frombits(got[i][at]), 1e-9,
							"%s, output %d, element %d", form, i, at)
					}
				}
			}
		})
	}
}
