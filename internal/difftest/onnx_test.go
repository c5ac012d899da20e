package difftest

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/difftest/eager"
	"github.com/broadloom/broadloom/internal/testkit/onnxrt"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/onnx"
)

// exportedRun is a random program at some sizes, as ONNX Runtime is asked it.
type exportedRun struct {
	checker checker // with the directions of this run
	fed     map[string]exec.Array
}

// exportedProgram is a random program as a model.
type exportedProgram struct {
	model onnxrt.Model
	runs  []exportedRun
}

// TestONNX exports random programs, with what they write and their gradients, and runs them by ONNX Runtime: that must
// agree with the evaluator.
func TestONNX(t *testing.T) {
	onnxrt.Python(t)
	count := uint64(400)
	if os.Getenv("BROADLOOM_XLA_ALL") != "" {
		count = 4000
	}
	var list []*exportedProgram
	var models []onnxrt.Model
	for seed := range count {
		if p := exportProgram(t, Generate(seed)); p != nil {
			list, models = append(list, p), append(models, p.model)
		}
	}
	good := 0
	for i, o := range onnxrt.Do(t, models) {
		seed, values := list[i].runs[0].checker.p.Seed, false
		fault := list[i].judge(t, o, &values)
		switch {
		case fault == "":
			good++
		case theirs[seed] != "" || values && bytes.Contains(models[i].Data, []byte("Sigmoid")):
		default:
			t.Errorf("seed %d: %s", seed, fault)
		}
	}
	t.Logf("of %d programs, %d exported and can be judged, %d agree", count, len(list), good)
	require.Greater(t, len(list), int(count)/2)
}

// theirs are programs of which ONNX Runtime gives something else, and what of. Its Sigmoid of float32 errs by more than
// rounding.
var theirs = map[uint64]string{
	2938: "a product with a transposed matrix in a batch of none",
	3321: "a transform of NaN, which is a product with sines",
}

// exportProgram returns the model of a program, or nil if the program is invalid or can be written in ONNX only with
// numbers for its sizes.
func exportProgram(t *testing.T, p *Program) *exportedProgram {
	var v Verdict
	c := &checker{p: p, v: &v, rng: newRand(p.Seed)}
	if !c.compile() {
		return nil
	}
	var outputs, updates []*graph.Node
	e := &exportedProgram{}
	for _, k := range p.Outputs {
		outputs = append(outputs, c.b.values[k])
	}
	for _, k := range p.Updates {
		updates = append(updates, c.b.values[k])
	}
	for i, n := range c.b.first {
		if !p.Gradient.Steps(p, p.Gradient.Wrt[i]) {
			outputs = append(outputs, n)
		}
	}
	outputs, updates = append(outputs, c.b.second...), append(updates, c.b.descent...)
	for _, n := range outputs {
		if n.DType() == graph.BFloat16 || n.DType().IsStorage() {
			return nil // NumPy has it not
		}
	}
	data, err := onnx.Encode(c.b.g, onnx.WithOutputs(outputs...), onnx.WithUpdates(updates...))
	if err != nil {
		require.ErrorContains(t, err, "whose sizes are numbers", "seed %d", p.Seed)
		return nil
	}
	e.model = onnxrt.Model{Data: data}
	for k := range p.Bindings {
		v := Verdict{Seed: p.Seed, Binding: k}
		c.v = &v
		c.directions()
		run := exportedRun{checker: *c, fed: map[string]exec.Array{}}
		args := onnxrt.Run{}
		feed := func(n *graph.Node, id int, data []float64) {
			a := c.array(id, data)
			run.fed[n.Name()] = a
			args[n.Name()] = onnxrt.Arg{Value: reference.Value{DType: n.DType(), Shape: a.Shape, Data: a.Data}}
		}
		for id := range p.Inputs {
			feed(c.b.values[id], id, c.data(id))
		}
		for i, u := range c.b.along {
			feed(u, p.Gradient.Wrt[i], c.a[p.Gradient.Wrt[i]])
		}
		for name, n := range p.Sizes(k) {
			args["size:"+name] = onnxrt.Arg{Value: reference.Of([]int64{int64(n)})}
		}
		if _, err := run.checker.wanted(&eager.Machine{}); err != nil {
			return nil // elements stop it
		}
		e.runs, e.model.Runs = append(e.runs, run), append(e.model.Runs, args)
	}
	return e
}

// judge compares what ONNX Runtime gives at all sizes, and tells what is wrong, and whether it is values.
func (e *exportedProgram) judge(t *testing.T, o onnxrt.Outcome, values *bool) string {
	if o.Error != "" {
		return o.Error
	}
	for k := range e.runs {
		c := &e.runs[k].checker
		want, err := c.wanted(&eager.Machine{})
		require.NoError(t, err)
		if !c.agree(e.results(&e.runs[k], o.Results[k], o.Order), want) {
			*values = c.v.Fault == "values"
			return fmt.Sprintf("at %v: %s: %s", c.p.Bindings[k], c.v.Fault, c.v.Detail)
		}
	}
	return ""
}

// results lists the outputs of a run, and what is in the inputs after it, as checker.run does.
func (e *exportedProgram) results(r *exportedRun, got map[string]reference.Value, order []string) (list []exec.Array) {
	c := &r.checker
	array := func(name string) exec.Array { return exec.Array{Shape: got[name].Shape, Data: got[name].Data} }
	next := func() exec.Array {
		name := order[0]
		order = order[1:]
		return array(name)
	}
	c.left = make([][]float64, len(c.p.Inputs))
	var after []exec.Array
	for id, in := range c.p.Inputs {
		name := c.b.values[id].Name()
		a := r.fed[name]
		if slices.Contains(order, name+".next") {
			a = array(name + ".next")
		}
		cells, _ := cellsOf(a)
		for _, v := range cells {
			x := v.V
			if !in.T.IsFloat() {
				x = float64(v.I)
			}
			c.left[id] = append(c.left[id], x)
		}
		if !c.p.Gradient.Steps(c.p, id) {
			after = append(after, a)
		}
	}
	for range c.p.Outputs {
		list = append(list, next())
	}
	for i := range c.b.first {
		if id := c.p.Gradient.Wrt[i]; c.p.Gradient.Steps(c.p, id) {
			list = append(list, c.descended(id))
		} else {
			list = append(list, next())
		}
	}
	for range c.b.second {
		list = append(list, next())
	}
	return append(list, after...)
}
