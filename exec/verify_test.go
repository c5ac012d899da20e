package exec

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// everyKernel is a program with kernels of all kinds, in-place writes among them.
func everyKernel() (g *graph.Graph, outputs, updates []*graph.Node) {
	g = graph.New("kinds")
	batch := g.Dim("batch")
	x := g.Input("x", graph.Float32, batch, 6)
	at := g.Input("at", graph.Int64, batch)
	w, b := g.Param("w", graph.Float32, 6, 8), g.Param("b", graph.Float32, 8)
	table := g.Param("table", graph.Float32, 10, 8)
	h := ops.Relu(ops.Add(ops.MatMul(x, w), b))
	p := ops.Softmax(ops.Add(h, ops.Take(table, 0, at)), 1)
	both := ops.Concat(1, ops.Exp(p), x, ops.Tanh(h))
	loss := ops.Mean(ops.Square(both))
	grads := autodiff.Grad(loss, []*graph.Node{w, b, table})
	for i, n := range []*graph.Node{w, b, table} {
		updates = append(updates, ops.SubInPlace(n, ops.Mul(grads[i], graph.Num(0.1))))
	}
	return g, []*graph.Node{loss, both, ops.Transpose(h, 0, 1)}, updates
}

// compiled is a unit after the passes up to one, and that pass. Nothing is verified yet.
func compiled(t *testing.T, last string, build func() (*graph.Graph, []*graph.Node, []*graph.Node)) (*lower.Program,
	pass) {
	t.Helper()
	g, outputs, updates := build()
	r := request{ctx: context.Background(), outputs: outputs, updates: updates, thresholds: lower.UsualThresholds}
	require.NoError(t, r.check(g))
	u := r.unit(g, len(g.Nodes()))
	for _, p := range passes {
		require.NoError(t, p.run(u))
		if p.name == last {
			return u, p
		}
	}
	t.Fatalf("no pass %s", last)
	return nil, pass{}
}

// find returns the last node of the unit's graph for which f holds.
func find(u *lower.Program, t *testing.T, f func(*graph.Node) bool) *graph.Node {
	t.Helper()
	for _, n := range slices.Backward(u.Graph.Nodes()) {
		if f(n) {
			return n
		}
	}
	t.Fatal("no such node")
	return nil
}

func ofClass(c graph.Class) func(*graph.Node) bool {
	return func(n *graph.Node) bool { return n.Op().Class == c }
}

// seededFaults are mistakes that a pass could make, with the messages of the verifier.
var seededFaults = []struct {
	pass, name string
	seed       func(t *testing.T, u *lower.Program)
	want       string
}{
	{"import", "an input is taken for another one", func(t *testing.T, u *lower.Program) {
		u.Inputs[0].Own = u.Params[0].Own
	}, "no copy of it"},
	{"expand", "a composite operation stays", func(t *testing.T, u *lower.Program) {
		x := u.Inputs[0].Own
		u.Graph.At(x, func() { ops.Apply(ops.Lookup("softmax"), ops.SoftmaxAttrs{Axis: 1}, x) })
	}, "composite"},
	{"widen", "a product's result has another dtype than its operands", func(t *testing.T, u *lower.Program) {
		n := find(u, t, ofClass(graph.Contract))
		for i, x := range n.Operands() {
			u.Graph.At(n, func() { n.Operands()[i] = ops.Cast(x, graph.Float16) })
		}
	}, "does not stand before"},
	{"simplify", "a root gets another shape", func(t *testing.T, u *lower.Program) { u.Roots[1] = u.Roots[0] },
		"root 1 became"},
	{"channels-last", "a sum has another operand", func(t *testing.T, u *lower.Program) {
		find(u, t, ofClass(graph.Reduce)).Operands()[0] = u.Params[1].Own
	}, "rule"},
	{"unroll", "an operand has another shape", func(t *testing.T, u *lower.Program) {
		find(u, t, ofClass(graph.Contract)).Operands()[0] = u.Params[1].Own
	}, "rule"},
	{"long-rows", "a sum has another shape", func(t *testing.T, u *lower.Program) {
		find(u, t, ofClass(graph.Update)).Operands()[1] = u.Params[1].Own
	}, "rule"},
	{"fold", "an operand of another graph", func(t *testing.T, u *lower.Program) {
		other := graph.New("other").Input("x", graph.Float32, 6, 8)
		find(u, t, ofClass(graph.Update)).Operands()[1] = other
	}, "operand 1 does not stand before it"},
	{"cse", "two writes of one state are made one after the other", func(t *testing.T, u *lower.Program) {
		w := find(u, t, ofClass(graph.Update))
		u.Graph.At(w, func() { u.Graph.Copy(w, w.Operands()) })
	}, "writes the same state"},
	{"take-parts", "a product is of rows of another size", func(t *testing.T, u *lower.Program) {
		find(u, t, ofClass(graph.Contract)).Operands()[0] = u.Params[1].Own
	}, "rule"},
	{"split-scores", "a sum of a part has another shape", func(t *testing.T, u *lower.Program) {
		find(u, t, ofClass(graph.Contract)).Operands()[0] = u.Params[1].Own
	}, "rule"},
	{"insert-slices", "an operand comes later", func(t *testing.T, u *lower.Program) {
		n := find(u, t, ofClass(graph.Reduce))
		n.Operands()[0] = n
	}, "does not stand before it"},
	{"join-assemblies", "an operand of its own", func(t *testing.T, u *lower.Program) {
		n := find(u, t, ofClass(graph.Reduce))
		n.Operands()[0] = n
	}, "does not stand before it"},
	{"late-sums", "a product reads a factor of another shape", func(t *testing.T, u *lower.Program) {
		find(u, t, ofClass(graph.Contract)).Operands()[0] = u.Params[1].Own
	}, "rule"},
	{"rematerialize", "an operand of another dtype", func(t *testing.T, u *lower.Program) {
		for _, in := range u.Inputs {
			if in.Own.DType() == graph.Int64 {
				find(u, t, ofClass(graph.Reduce)).Operands()[0] = in.Own
			}
		}
	}, "rule"},
	{"score-axes", "a product reads a factor of another shape", func(t *testing.T, u *lower.Program) {
		find(u, t, ofClass(graph.Contract)).Operands()[0] = u.Params[1].Own
	}, "rule"},
	{"recompute", "a product has an operand that comes later", func(t *testing.T, u *lower.Program) {
		find(u, t, ofClass(graph.Contract)).Operands()[1] = find(u, t, ofClass(graph.Reduce))
	}, "does not stand before"},
	{"implicit-gemm", "broadcasting is recorded for other operands", func(t *testing.T, u *lower.Program) {
		n := find(u, t, func(n *graph.Node) bool {
			return len(n.Operands()) == 2 && slices.Contains(n.Stretch(1), graph.Stretched) &&
				n.In(1).Op().Class != graph.Source && !n.In(1).Shape().Equal(n.In(0).Shape())
		})
		n.Operands()[1] = n.In(0)
	}, "rule infers"},
	{"add-rows", "rows are added to a value of another shape", func(t *testing.T, u *lower.Program) {
		find(u, t, func(n *graph.Node) bool { return n.Op().Indexed }).Operands()[0] = u.Params[1].Own
	}, "rule"},
	{"sum-rows", "a product has an operand that comes later", func(t *testing.T, u *lower.Program) {
		find(u, t, ofClass(graph.Contract)).Operands()[1] = find(u, t, ofClass(graph.Reduce))
	}, "does not stand before"},
	{"narrow-factors", "a product reads what has no elements of its dtype", func(t *testing.T, u *lower.Program) {
		find(u, t, ofClass(graph.Contract)).Operands()[0] = find(u, t, ofClass(graph.Reduce))
	}, "does not stand before"},
	{"assemble-later", "a sum reads a value that comes later", func(t *testing.T, u *lower.Program) {
		n := find(u, t, ofClass(graph.Reduce))
		n.Operands()[0] = n
	}, "does not stand before it"},
	{"dce", "a root is left in the graph before", func(t *testing.T, u *lower.Program) {
		u.Roots[0] = u.UserRoots[0]
	}, "root 0 is not in the graph"},
	{"keep-later", "a value that comes later is read in place of another one", func(t *testing.T, u *lower.Program) {
		find(u, t, ofClass(graph.Elementwise)).Operands()[0] = u.Graph.Nodes()[len(u.Graph.Nodes())-1]
	}, "does not stand before"},
	{"outline", "a value of a loop's body stays outside", func(t *testing.T, u *lower.Program) {
		x := u.Inputs[0].Own
		ops.Scan(ops.Loop{Over: []*graph.Node{x}}, func(_, x []*graph.Node) (next, out []*graph.Node) { return nil, x })
	}, "a value of a loop is left"},
	{"sequence", "a write comes before a read", func(t *testing.T, u *lower.Program) {
		w := find(u, t, ofClass(graph.Update))
		reader := alias.FindWrites(u.Sequence).Before(w)[0]
		i, k := slices.Index(u.Sequence, w), slices.Index(u.Sequence, reader)
		u.Sequence = slices.Insert(slices.Delete(u.Sequence, i, i+1), k, w)
	}, "before"},
	{"sequence", "a node is forgotten", func(t *testing.T, u *lower.Program) {
		u.Sequence = slices.DeleteFunc(u.Sequence, func(n *graph.Node) bool { return n == u.Roots[0] })
	}, "not in the order"},
	{"fuse", "a value has two kernels", func(t *testing.T, u *lower.Program) {
		u.Groups = append(u.Groups, u.Groups[len(u.Groups)-1])
	}, "both compute it"},
	{"fuse", "a kernel is forgotten", func(t *testing.T, u *lower.Program) { u.Groups = u.Groups[1:] },
		"no kernel computes it"},
	{"fuse", "kernels run in another order", func(t *testing.T, u *lower.Program) { slices.Reverse(u.Groups) },
		"before its operand"},
	{"fuse", "a member has another iteration space", func(t *testing.T, u *lower.Program) {
		for _, k := range u.Groups {
			if k.Class == graph.Elementwise && k.Row < 0 {
				k.Space = append(graph.Shape{3}, k.Space...)
			}
		}
	}, "in a kernel over"},
	{"forward-stores", "an assembled value is forgotten", func(t *testing.T, u *lower.Program) {
		for _, k := range u.Groups {
			k.Completes = nil
			if k.Assembly != nil {
				k.Nodes = nil
			}
		}
	}, "no kernel computes it"},
	{"lower", "an operand is forgotten", func(t *testing.T, u *lower.Program) {
		for _, k := range u.Kernels {
			for _, p := range k.Loops() {
				p.Operands = p.Operands[1:]
			}
		}
	}, "its part"},
	{"lower", "a result is not stored", func(t *testing.T, u *lower.Program) {
		for _, k := range u.Kernels {
			if m, ok := k.(*lower.MatMul); ok {
				m.MatMulSpec.Operands[2].Base = u.Params[0].Own
			}
		}
	}, "no kernel up to there stores it"},
	{"find-chains", "a chain has other kernels than those in its place", func(t *testing.T, u *lower.Program) {
		u.Chains = append(u.Chains, &lower.Chain{Members: []lower.ChainMember{{Kernel: u.Kernels[1]}}})
	}, "is not in its place"},
	{"fuse-with-matmul", "a kernel is fused with no product", func(t *testing.T, u *lower.Program) {
		for _, k := range u.Kernels {
			if k, ok := k.(*lower.Fused); ok {
				k.Fusion = lower.MatMulFusion{Kind: lower.OnResult, Of: &lower.MatMul{}}
			}
		}
	}, "none is before it"},
	{"assign-buffers", "a buffer ends too early", func(t *testing.T, u *lower.Program) {
		for _, s := range u.Buffers {
			s.Last = s.First
		}
	}, "its buffer lives from"},
	{"assign-buffers", "a buffer is taken over while it is needed", func(t *testing.T, u *lower.Program) {
		a, b := u.Buffers[0], u.Buffers[len(u.Buffers)-1]
		a.ReusedBy, b.Reuses = b, a
	}, "takes over"},
}

// TestVerificationFindsSeededFaults expects every mistake to be found right after the pass that
// could have made it.
func TestVerificationFindsSeededFaults(t *testing.T) {
	tried := map[string]bool{}
	for _, f := range seededFaults {
		tried[f.pass] = true
		t.Run(f.pass+"/"+f.name, func(t *testing.T) {
			u, p := compiled(t, f.pass, everyKernel)
			f.seed(t, u)
			err := verifyUnit(u, p)
			var bug *BugError
			require.ErrorAs(t, err, &bug)
			require.Equal(t, f.pass, bug.Pass)
			require.ErrorContains(t, err, f.want)
		})
	}
	for _, p := range passes {
		require.True(t, tried[p.name], "no mistake of the pass %s is seeded", p.name)
	}
}

// TestVerificationFindsBuffersThatMeet expects a run to refuse an arena in which values that
// live at the same time share bytes.
func TestVerificationFindsBuffersThatMeet(t *testing.T) {
	g, outputs, updates := everyKernel()
	p, err := Compile(g, Outputs(outputs...), Updates(updates...))
	require.NoError(t, err)
	s := p.NewSession()
	_, err = s.Run(context.Background(), kindsFeed(g))
	require.NoError(t, err)
	b := s.bindings[0]
	require.NoError(t, b.Verify(p.code))
	for i := range b.Offsets {
		b.Offsets[i] = 0
	}
	require.ErrorContains(t, b.Verify(p.code), "share bytes")
}

func kindsFeed(g *graph.Graph) Feed {
	xs := make([]float32, 5*6)
	for i := range xs {
		xs[i] = float32(i%7) - 3
	}
	return Feed{g.ByName("x"): Array{[]int{5, 6}, xs}, g.ByName("at"): Array{[]int{5}, []int64{3, 1, 4, 1, 5}}}
}

// shuffled puts nodes that do not depend on each other into another order before each pass.
func shuffled(seed uint64) Option {
	rng := rand.New(rand.NewPCG(seed, 7))
	return func(r *request) {
		r.between = append(r.between, func(u *lower.Program, p pass) error {
			at := func(name string) int { return slices.IndexFunc(passes, func(p pass) bool { return p.name == name }) }
			switch here, sequence := at(p.name), at("sequence"); {
			case here < sequence:
				shuffleGraph(u, rng)
			case here == sequence:
				shuffleOrder(u, rng)
			}
			return nil
		})
	}
}

// shuffleGraph moves the nodes to a graph in which they stand in another order.
func shuffleGraph(u *lower.Program, rng *rand.Rand) {
	next, copies := u.Graph.Derive(), make([]*graph.Node, len(u.Graph.Nodes()))
	for _, n := range topological(u.Graph.Nodes(), (*graph.Node).Operands, rng) {
		in := make([]*graph.Node, len(n.Operands()))
		for i, x := range n.Operands() {
			in[i] = copies[x.ID()]
		}
		copies[n.ID()] = next.Copy(n, in)
	}
	u.ReplaceGraph(next, func(n *graph.Node) *graph.Node { return copies[n.ID()] })
}

func shuffleOrder(u *lower.Program, rng *rand.Rand) {
	u.Sequence = topological(u.Sequence, func(n *graph.Node) []*graph.Node {
		return slices.Concat(n.Operands(), u.Writes.Before(n))
	}, rng)
}

// topological returns a random order of nodes in which each comes after those that it needs.
func topological(nodes []*graph.Node, needs func(*graph.Node) []*graph.Node, rng *rand.Rand) (order []*graph.Node) {
	listed, waits, users := map[*graph.Node]bool{}, map[*graph.Node]int{}, map[*graph.Node][]*graph.Node{}
	for _, n := range nodes {
		listed[n] = true
	}
	var ready []*graph.Node
	for _, n := range nodes {
		for _, x := range needs(n) {
			if listed[x] {
				waits[n]++
				users[x] = append(users[x], n)
			}
		}
		if waits[n] == 0 {
			ready = append(ready, n)
		}
	}
	for len(ready) > 0 {
		i := rng.IntN(len(ready))
		n := ready[i]
		ready[i] = ready[len(ready)-1]
		ready, order = ready[:len(ready)-1], append(order, n)
		for _, user := range users[n] {
			if waits[user]--; waits[user] == 0 {
				ready = append(ready, user)
			}
		}
	}
	return order
}

// TestPassesDoNotDependOnTheOrderOfNodes compares programs whose nodes stood in other orders.
func TestPassesDoNotDependOnTheOrderOfNodes(t *testing.T) {
	g, outputs, updates := everyKernel()
	run := func(opts ...Option) (values []any) {
		p, err := Compile(g, append(opts, Outputs(outputs...), Updates(updates...))...)
		require.NoError(t, err)
		s := p.NewSession()
		for range 3 {
			out, err := s.Run(context.Background(), kindsFeed(g))
			require.NoError(t, err)
			for _, n := range outputs {
				values = append(values, slices.Clone(ArrayOf(t, out, n).Data.([]float32)))
			}
		}
		for _, n := range g.Params() {
			v, err := s.Param(n)
			require.NoError(t, err)
			values = append(values, v.Data)
		}
		return values
	}
	want := run()
	for seed := range uint64(20) {
		require.Equal(t, want, run(shuffled(seed)), "seed %d", seed)
	}
}

// An unknown value of an environment variable is an error of Compile.
func TestEnvironmentIsChecked(t *testing.T) {
	t.Setenv(VerifyVariable, "yes")
	g := graph.New("environment")
	_, err := Compile(g, Outputs(ops.Neg(g.Input("x", graph.Float32))))
	require.EqualError(t, err,
		`exec: the environment variable BROADLOOM_VERIFY is "yes", and it must be one of 0, 1, or not set`)
}
