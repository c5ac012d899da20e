package difftest

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/difftest/eager"
	"github.com/broadloom/broadloom/ops"
)

var batches = flag.Int("batches", 400, "how many random programs are run for the examples of a batch")

// TestBatchesAreTheirExamples runs random programs, with their gradients, for all examples of a batch by ops.Vmap, and
// for each by itself. Some inputs are those of the example, and others the same for all. By turns the batch stands in
// another one, in a loop, or around a loop.
func TestBatchesAreTheirExamples(t *testing.T) {
	counts := map[string]int{}
	for seed := range uint64(*batches) {
		p := Generate(900_000 + seed)
		if p.Gradient != nil {
			p.Gradient.Second, p.Gradient.Rate = false, 0
		}
		t.Run(fmt.Sprint(900_000+seed), func(t *testing.T) {
			b := &batchTrial{T: t, p: p, rng: newRand(seed), form: seed % 4}
			defer func() {
				if t.Failed() {
					t.Logf("%v:\n%s", b.mapped, Source(p, 0))
				}
			}()
			counts[b.try()]++
		})
	}
	t.Log(counts)
	require.Greater(t, counts["agrees"], *batches/2)
}

// batchTrial compares one program in a batch with the same one for each example.
type batchTrial struct {
	*testing.T
	p      *eager.Program
	rng    *rand.Rand
	mapped []bool
	form   uint64
}

// maxExamples is the most examples of a batch.
const maxExamples = 3

func (b *batchTrial) try() string {
	for range b.p.Inputs {
		b.mapped = append(b.mapped, b.rng.IntN(3) > 0)
	}
	b.mapped[b.rng.IntN(len(b.mapped))] = true
	alone, in := b.build(false)
	if alone == nil || alone.g.Err() != nil {
		return "has no value"
	}
	oneProg, err := exec.Compile(alone.g, exec.Outputs(alone.outputs...), exec.OnWarning(nil))
	if err != nil {
		return "does not compile"
	}
	together, inAll := b.build(true)
	if err := together.g.Err(); err != nil &&
		(strings.Contains(err.Error(), "which it did not make for each example") ||
			strings.Contains(err.Error(), "not made in the same step")) {
		return "writes what is the same for all"
	}
	require.NoError(b, together.g.Err())
	allProg, err := exec.Compile(together.g, exec.Outputs(together.outputs...), exec.OnWarning(nil))
	require.NoError(b, err)
	for _, examples := range []int{maxExamples, 1, 0} {
		if said := b.compare(examples, oneProg, allProg, alone.outputs, together.outputs, in, inAll); said != "" {
			return said
		}
	}
	return "agrees"
}

// batchBuilt is a program as a graph, for one example or for all.
type batchBuilt struct {
	g       *graph.Graph
	outputs []*graph.Node
}

// build makes the graph; nil where sizes decide how many values a step gives.
func (b *batchTrial) build(inBatch bool) (*batchBuilt, []*graph.Node) {
	of := declare(b.p)
	var in, over []*graph.Node
	examples := of.g.Dim("examples", graph.AtLeast(0))
	for i, x := range b.p.Inputs {
		shape := of.shape(x.Shape)
		if inBatch && b.mapped[i] {
			shape = append(graph.Shape{examples}, shape...)
		}
		in = append(in, of.g.Input(fmt.Sprintf("x%d", i), dtype(x.T), shape...))
		if b.mapped[i] {
			over = append(over, in[i])
		}
	}
	uncounted := false
	f := func(x []*graph.Node) []*graph.Node {
		for i, v := range in {
			if b.mapped[i] {
				v, x = x[0], x[1:]
			}
			if b.writes() {
				v = ops.Copy(v)
			}
			of.values = append(of.values, v)
		}
		of.steps(b.p)
		uncounted = of.uncounted
		var outputs []*graph.Node
		if !uncounted {
			for _, k := range b.p.Outputs {
				outputs = append(outputs, of.values[k])
			}
		}
		return append(outputs, of.first...)
	}
	made := &batchBuilt{g: of.g}
	if inBatch {
		made.outputs = b.inBatch(over, f)
	} else if made.outputs = f(over); uncounted || len(made.outputs) == 0 {
		return nil, nil
	}
	return made, in
}

// inBatch computes f for all examples. In another batch, or the steps of a loop, all is done twice.
func (b *batchTrial) inBatch(over []*graph.Node, f func(x []*graph.Node) []*graph.Node) []*graph.Node {
	if b.form == 0 {
		return ops.Vmap(over, f)
	}
	twice := make([]*graph.Node, len(over))
	for i, x := range over {
		twice[i] = ops.Stack(0, x, x)
	}
	batch := func(x []*graph.Node) []*graph.Node { return ops.Vmap(x, f) }
	steps := func(x []*graph.Node, f func(x []*graph.Node) []*graph.Node) []*graph.Node {
		_, outs := ops.Scan(ops.Loop{Over: x}, func(_, e []*graph.Node) (next, out []*graph.Node) { return nil, f(e) })
		return outs
	}
	var outputs []*graph.Node
	switch b.form {
	case 1:
		outputs = ops.Vmap(twice, batch)
	case 2:
		outputs = steps(twice, batch)
	default:
		outputs = ops.Vmap(twice, func(x []*graph.Node) []*graph.Node { return steps(x, f) })
	}
	for i, y := range outputs {
		outputs[i] = ops.Select(y, 0, 1)
	}
	return outputs
}

// writes reports whether the program writes inputs.
func (b *batchTrial) writes() bool {
	return len(b.p.Updates) > 0 || slices.ContainsFunc(b.p.Inputs, func(in eager.Input) bool {
		return in.Mutable || in.Param
	})
}

// compare runs a batch and each of its examples; it says why they cannot be compared.
func (b *batchTrial) compare(examples int, one, all *exec.Program, oneOut, allOut, in, inAll []*graph.Node) string {
	sizes := func(more map[string]int) (opts []exec.SessionOption) {
		for name, v := range more {
			opts = append(opts, exec.Size(name, v))
		}
		return opts
	}
	at := b.p.Sizes(0)
	feeds, whole := make([]exec.Feed, examples), exec.Feed{}
	for id, x := range b.p.Inputs {
		shape := make([]int, len(x.Shape))
		for k, d := range x.Shape {
			shape[k] = d.Eval(at)
		}
		data := b.p.Draw(id, 0)
		var joined []float64
		for t := range examples {
			own := data
			if b.mapped[id] && len(data) > 0 {
				own = slices.Concat(data[t%len(data):], data[:t%len(data)])
				joined = append(joined, own...)
			}
			if feeds[t] == nil {
				feeds[t] = exec.Feed{}
			}
			feeds[t][in[id]] = array(x.T, shape, own)
		}
		whole[inAll[id]] = array(x.T, shape, data)
		if b.mapped[id] {
			whole[inAll[id]] = array(x.T, append([]int{examples}, shape...), joined)
		}
	}
	alone := make([][]exec.Array, examples)
	oneSession := one.NewSession(sizes(at)...)
	for t := range examples {
		r, err := oneSession.Run(b.Context(), feeds[t])
		if err != nil {
			return "has no value"
		}
		for _, y := range oneOut {
			a, err := r.Array(y)
			require.NoError(b, err)
			alone[t] = append(alone[t], a.Clone())
		}
	}
	at["examples"] = examples
	got, err := all.NewSession(sizes(at)...).Run(b.Context(), whole)
	if examples == 0 && err != nil && isAboutSizes(err) {
		return ""
	}
	require.NoError(b, err)
	for k, y := range allOut {
		a, err := got.Array(y)
		require.NoError(b, err)
		require.Equal(b, examples, a.Shape[0])
		cells, dt := cellsOf(a)
		if examples == 0 {
			continue
		}
		each := len(cells) / examples
		for t := range examples {
			w := alone[t][k]
			require.Equal(b, append([]int{examples}, w.Shape...), a.Shape, "output %d", k)
			want, _ := cellsOf(w)
			if said := b.near(k, t, dt, want, cells[t*each:(t+1)*each]); said != "" {
				return said
			}
		}
	}
	return ""
}

// near requires that two results are the same but for rounding.
func (b *batchTrial) near(k, t int, dt eager.DType, want, got []eager.Cell) string {
	greatest := 1.0
	for _, c := range want {
		if !(math.Abs(c.V) < 1e4) {
			return "is wild"
		}
		greatest = max(greatest, math.Abs(c.V))
	}
	slack := greatest * map[eager.DType]float64{
		eager.Float64: 1e-7, eager.Float32: 2e-3, eager.Float16: 0.03, eager.BFloat16: 0.2}[dt]
	for i, c := range want {
		if math.Abs(c.V-got[i].V) > slack {
			b.Errorf("output %d of example %d: element %d is %v in a batch, and %v alone", k, t, i, got[i].V, c.V)
			return "differs"
		}
	}
	return ""
}
