package difftest

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/difftest/eager"
	"github.com/broadloom/broadloom/shapeinfer"
)

// Verdict is what came of a program.
type Verdict struct {
	Seed uint64
	// Fault is empty where all is well; else it names the kind of the disagreement.
	Fault string `json:",omitempty"`
	// Refused is the code of the mistake for which the program was not compiled or not run, where
	// a refusal can be right: writes in place are judged for all sizes at once.
	Refused string `json:",omitempty"`
	Detail  string `json:",omitempty"`
	Binding int    `json:",omitempty"` // of the disagreement
	Rounds  int    `json:",omitempty"` // values that differ by rounding
	Rough   int    `json:",omitempty"` // gradients that are not compared, since some derivative is not finite
	Runs    int
	Hash    uint64 // of the bits of all answers
}

// cautious are the mistakes that may be reported of a program that has values: they are judged
// for all sizes at once, and before the order of reads and writes is chosen.
var cautious = []graph.Code{shapeinfer.CodeOperandOverlap, shapeinfer.CodeOrder, shapeinfer.CodeWriters, shapeinfer.CodeLeaf}

// Check compiles a program, runs it on one thread and more, and compares all that it gives.
func Check(p *eager.Program) (v Verdict) {
	v.Seed = p.Seed
	defer func() {
		if r := recover(); r != nil {
			v.Fault, v.Detail = "panic: "+firstLine(fmt.Sprint(r)), string(debug.Stack())
		}
	}()
	c := &checker{p: p, v: &v, rng: newRand(p.Seed)}
	if c.compile() {
		c.runs()
	}
	return v
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 77)) }

type checker struct {
	p        *eager.Program
	v        *Verdict
	rng      *rand.Rand
	b        *built
	prog     *exec.Program
	sessions []*exec.Session
	a, along [][]float64 // directions of the first and the second derivative, by input
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// compile builds and compiles the program, and reports whether there is one.
func (c *checker) compile() bool {
	c.b = build(c.p)
	var outputs, updates []*graph.Node
	for _, k := range c.p.Outputs {
		outputs = append(outputs, c.b.values[k])
	}
	for _, k := range c.p.Updates {
		updates = append(updates, c.b.values[k])
	}
	outputs = slices.Concat(outputs, c.b.first, c.b.second)
	prog, err := exec.Compile(c.b.g, exec.Outputs(outputs...), exec.Updates(updates...))
	if err != nil {
		c.refused("compile", err)
		return false
	}
	c.prog = prog
	c.open()
	return true
}

// threads are the numbers of threads on which programs run.
var threads = []int{1, 2, 8}

// open makes the sessions. Sizes that the inputs do not tell are given by hand.
func (c *checker) open() {
	c.sessions = nil
	for _, n := range threads {
		opts := []exec.SessionOption{exec.Threads(n)}
		if !c.told() {
			for name, v := range c.p.Bindings[c.v.Binding] {
				opts = append(opts, exec.Size(name, v))
			}
		}
		c.sessions = append(c.sessions, c.prog.NewSession(opts...))
	}
}

// told reports whether each named size is that of some axis of an input.
func (c *checker) told() bool {
	return !slices.ContainsFunc(c.p.Names, func(n eager.Name) bool {
		return !slices.ContainsFunc(c.p.Inputs, func(in eager.Input) bool {
			return slices.ContainsFunc(in.Shape, func(s eager.Size) bool { return s.String() == "1*"+n.Name })
		})
	})
}

func (c *checker) refused(when string, err error) {
	c.v.Detail = err.Error()
	m := new(graph.Mistake)
	switch {
	case errors.As(err, &m) && slices.Contains(cautious, m.Code):
		c.v.Refused = string(m.Code)
	case errors.As(err, &m):
		c.v.Fault = when + " " + string(m.Code) + " " + m.Node.Op().Name
	default:
		line := firstLine(err.Error())
		if strings.Contains(line, "BL501") { // tell what asks for it
			_, line, _ = strings.Cut(err.Error(), "required by ")
			line = "BL501 " + firstLine(line)
		}
		c.v.Fault = when + ": " + line
	}
}

// runs runs the program at all bindings and at the first again.
func (c *checker) runs() {
	hash := fnv.New64a()
	for k := range len(c.p.Bindings) + 1 {
		if c.v.Binding = k % len(c.p.Bindings); k > 0 && !c.told() {
			c.open()
		}
		c.directions()
		want, errWant := c.wanted(nil)
		var got []exec.Array
		for i, s := range c.sessions {
			have, err := c.run(s)
			switch {
			case err != nil && errWant != nil:
				continue
			case err != nil && mayRefuse(err):
				c.v.Refused, c.v.Detail = "run", err.Error()
				return
			case err != nil:
				c.refused("run", err)
				return
			case errWant != nil:
				c.v.Fault, c.v.Detail = "runs though it has no value", errWant.Error()
				return
			case i == 0:
				got = have
			case !same(got, have):
				c.v.Fault, c.v.Detail = "threads", fmt.Sprintf("1 thread: %v\n%d threads: %v", got, threads[i], have)
				return
			}
			c.v.Runs++
		}
		for _, a := range got {
			writeBits(hash, a)
		}
		if errWant == nil && !c.agree(got, want) {
			return
		}
	}
	c.v.Binding, c.v.Hash = 0, hash.Sum64()
}

// mayRefuse reports whether a run may refuse sizes at which the program has values: an axis is
// rolled by its size at most.
func mayRefuse(err error) bool {
	text := err.Error()
	return strings.Contains(text, "BL501") && strings.Contains(text, " in Roll ")
}

// run runs the program in a session, with the parameters as they are at first.
func (c *checker) run(s *exec.Session) (list []exec.Array, err error) {
	feed := exec.Feed{}
	for id, in := range c.p.Inputs {
		shape := make([]int, len(in.Shape))
		for i, d := range in.Shape {
			shape[i] = d.Eval(c.p.Bindings[c.v.Binding])
		}
		a := array(in.T, shape, c.p.Draw(id, c.v.Binding))
		if !in.Param {
			feed[c.b.values[id]] = a
		} else if err := s.SetParam(c.b.values[id], a); err != nil {
			return nil, err
		}
	}
	for i, u := range c.b.along {
		id := c.p.Gradient.Wrt[i]
		shape := make([]int, len(c.p.Inputs[id].Shape))
		for i, d := range c.p.Inputs[id].Shape {
			shape[i] = d.Eval(c.p.Bindings[c.v.Binding])
		}
		feed[u] = array(c.p.Inputs[id].T, shape, c.a[id])
	}
	r, err := s.Run(context.Background(), feed)
	if err != nil {
		return nil, err
	}
	nodes := slices.Concat(c.b.first, c.b.second)
	for i := len(c.p.Outputs) - 1; i >= 0; i-- {
		nodes = slices.Insert(nodes, 0, c.b.values[c.p.Outputs[i]])
	}
	for _, n := range nodes {
		a, err := r.Array(n)
		if err != nil {
			return nil, err
		}
		list = append(list, a.Clone())
	}
	for id, in := range c.p.Inputs {
		if in.Param {
			a, err := s.Param(c.b.values[id])
			if err != nil {
				return nil, err
			}
			list = append(list, a)
		}
	}
	return list, nil
}

// directions draws those of the derivatives: the first is that by which the first gradient is
// multiplied for the second; along the second the gradients are compared, at times for one
// input or one element alone.
func (c *checker) directions() {
	d := c.p.Gradient
	c.a, c.along = make([][]float64, len(c.p.Inputs)), make([][]float64, len(c.p.Inputs))
	if d == nil {
		return
	}
	only := -1
	if c.rng.IntN(2) == 0 {
		only = d.Wrt[c.rng.IntN(len(d.Wrt))]
	}
	for id, in := range c.p.Inputs {
		count := 1
		for _, s := range in.Shape {
			count *= s.Eval(c.p.Bindings[c.v.Binding])
		}
		c.a[id], c.along[id] = make([]float64, count), make([]float64, count)
		if !slices.Contains(d.Wrt, id) {
			continue
		}
		c.a[id] = eager.Direction(c.rng, count, -1)
		if only < 0 || only == id {
			element := -1
			if only == id && count > 0 && c.rng.IntN(2) == 0 {
				element = c.rng.IntN(count)
			}
			c.along[id] = eager.Direction(c.rng, count, element)
		}
	}
}

// answer is what the evaluator gives: elements of outputs and parameters, and derivatives.
type answer struct {
	shape [][]int
	cells [][]eager.Cell
	t     []eager.DType
	slope [3]float64 // of the gradient's value: along the first direction, the second, both
	rough [3]bool
}

// wanted computes the program with the evaluator.
func (c *checker) wanted(noise *rand.Rand) (*answer, error) {
	m := &eager.Machine{At: c.p.Bindings[c.v.Binding], Noise: noise, Units: 16}
	var inputs []*eager.Tensor
	for id, in := range c.p.Inputs {
		inputs = append(inputs, m.Leaf(in, c.p.Draw(id, c.v.Binding), c.a[id], c.along[id]))
	}
	values, err := m.Run(c.p, inputs)
	if err != nil {
		return nil, err
	}
	a := &answer{rough: m.Rough}
	put := func(x *eager.Tensor) {
		a.shape, a.cells, a.t = append(a.shape, x.Shape), append(a.cells, x.Cells()), append(a.t, x.T)
	}
	for _, k := range c.p.Outputs {
		put(values[k])
	}
	for id, in := range c.p.Inputs {
		if !in.Param {
			continue
		}
		x := values[id]
		for _, w := range c.p.Updates {
			if values[w].SharesMemory(x) {
				after, err := m.Do(&eager.Step{Op: "After", In: []int{id, w}}, values)
				if err != nil {
					return nil, err
				}
				x = after[0]
			}
		}
		put(x)
	}
	if d := c.p.Gradient; d != nil {
		y := values[d.Of].Cells()
		up := make([]eager.Cell, len(y))
		for i := range up {
			up[i].V = 1
		}
		if d.Up >= 0 {
			up = values[d.Up].Cells()
		}
		for i, v := range y {
			a.slope[0] += v.A * up[i].V
			a.slope[1] += v.B * up[i].V
			a.slope[2] += v.AB * up[i].V
		}
	}
	return a, nil
}

// Program is a program as plain data.
type Program = eager.Program

// Alike reports whether two programs fail in the same way.
func (v Verdict) Alike(o Verdict) bool {
	kind := func(s string) string {
		head, _, _ := strings.Cut(s, ":")
		return head
	}
	return v.Fault != "" && kind(v.Fault) == kind(o.Fault)
}
