package difftest

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/difftest/eager"
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
	Failed  int    `json:",omitempty"` // bindings whose elements or sizes a run refuses, as a program may
	Runs    int
	Hash    uint64 // of the bits of all answers
}

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
	state    [][]float64 // of parameters, by input, where a run is repeated
	left     [][]float64 // what the last run left in parameters
	started  bool        // the last run had all it needs
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// compile builds and compiles the program, and reports whether there is one.
func (c *checker) compile() bool {
	if c.b = build(c.p); c.b.uncounted {
		c.v.Refused = "a list of parts of a named size"
		return false
	}
	var outputs, updates []*graph.Node
	for _, k := range c.p.Outputs {
		outputs = append(outputs, c.b.values[k])
	}
	for _, k := range c.p.Updates {
		updates = append(updates, c.b.values[k])
	}
	for i, n := range c.b.first {
		if !c.p.Gradient.Steps(c.p, c.p.Gradient.Wrt[i]) {
			outputs = append(outputs, n)
		}
	}
	outputs, updates = append(outputs, c.b.second...), append(updates, c.b.descent...)
	prog, err := exec.Compile(c.b.g, exec.Outputs(outputs...), exec.Updates(updates...), exec.OnWarning(nil))
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

// open makes the sessions. Sizes that the inputs do not tell are set explicitly.
func (c *checker) open() {
	c.sessions = nil
	for _, n := range threads {
		opts := []exec.SessionOption{exec.Threads(n)}
		if !c.told() {
			for name, v := range c.p.Sizes(c.v.Binding) {
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
			count *= s.Eval(c.p.Sizes(c.v.Binding))
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
