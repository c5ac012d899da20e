package shapeinfer_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// program is a random program whose sizes are expressions in names. It can be built with
// the names, or with numbers in their place.
type program struct {
	policy graph.Policy
	bounds map[string]graph.Bounds
	equal  []graph.Dim // two sizes that are said to be the same, or none
	late   bool        // that is said at the end
	steps  []step
}

// step makes one value of a program from those before it.
type step struct {
	op    string
	in    []int
	sizes []graph.Dim // of an input, a reshape or an expansion
	axis  int
	keep  bool
}

var sizeNames = []string{"n", "m", "k"}

// newProgram makes a random program. Later values are made to fit earlier ones more often
// than not, so that many programs are valid for some sizes.
func newProgram(rng *rand.Rand) program {
	p := program{bounds: map[string]graph.Bounds{}}
	p.policy = graph.Policy{Names: graph.NamesPolicy(rng.IntN(3)), MutualExpand: graph.AllowSilently}
	for _, name := range sizeNames {
		b := graph.Bounds{Min: rng.Int64N(3), MayBeOne: rng.IntN(8) == 0}
		if rng.IntN(6) == 0 {
			b.Multiple = 2 + rng.Int64N(2)
		}
		if rng.IntN(6) == 0 {
			b.Max = b.Min + 4
		}
		p.bounds[name] = b
	}
	if rng.IntN(5) == 0 {
		p.equal, p.late = []graph.Dim{graph.SymbolicDim("n"), randomSize(rng)}, rng.IntN(2) == 0
		if g, _ := p.build(nil); g.Err() != nil {
			p.equal = nil // it cannot be solved for a name
		}
	}
	for range 3 + rng.IntN(9) {
		before := len(p.steps)
		p.add(rng)
		if _, values := p.build(nil); len(p.steps) > before && values[len(values)-1].Err() != nil && rng.IntN(12) > 0 {
			p.steps = p.steps[:before] // a mistake for all sizes hides the rest of a program
		}
	}
	return p
}

// shapes returns the shapes of the values so far, of unknown sizes where a step failed.
func (p *program) shapes() (list []graph.Shape) {
	_, values := p.build(nil)
	for _, v := range values {
		list = append(list, v.Shape())
	}
	return list
}

func (p *program) add(rng *rand.Rand) {
	shapes := p.shapes()
	if len(shapes) == 0 || rng.IntN(3) == 0 {
		like := graph.Shape{}
		for range rng.IntN(4) {
			like = append(like, randomSize(rng))
		}
		if len(shapes) > 0 && rng.IntN(4) > 0 {
			like = nearly(rng, shapes[rng.IntN(len(shapes))])
		}
		p.steps = append(p.steps, step{op: "input", sizes: like})
		return
	}
	any := func() int { return max(rng.IntN(len(shapes)), rng.IntN(len(shapes))) }
	s := step{in: []int{any()}, keep: rng.IntN(2) == 0}
	s.op = []string{"add", "add", "add", "mul", "matmul", "concat", "reshape", "flatten", "expand", "sum", "transpose",
		"unsqueeze", "max", "pool", "window", "add_", "stack", "conv", "conv"}[rng.IntN(19)]
	shape := shapes[s.in[0]]
	s.axis = rng.IntN(len(shape) + 1)
	switch s.op {
	case "add", "mul", "matmul", "concat", "add_", "stack":
		s.in = append(s.in, any())
		if s.op == "concat" && len(shape) == 1 && len(shapes[s.in[1]]) == 1 {
			s.axis = 0 // of operands of shape [0] alone PyTorch takes every axis; names need one that exists
		}
	case "conv":
		channels := graph.Dim(1)
		if len(shape) > 2 && !shape[len(shape)-3].IsUnknown() {
			channels = shape[len(shape)-3]
		}
		s.in = append(s.in, len(p.steps))
		kernel := func() graph.Dim { return []graph.Dim{1, 2, 3, randomSize(rng)}[rng.IntN(4)] }
		p.steps = append(p.steps, step{op: "input", sizes: graph.Shape{randomSize(rng), channels, kernel(), kernel()}})
	case "reshape":
		s.sizes = nearly(rng, shape)
		rng.Shuffle(len(s.sizes), func(i, j int) { s.sizes[i], s.sizes[j] = s.sizes[j], s.sizes[i] })
		if len(s.sizes) > 0 && rng.IntN(2) == 0 {
			s.sizes[rng.IntN(len(s.sizes))] = -1
		}
	case "expand":
		for _, d := range shape {
			if d == 1 {
				d = randomSize(rng)
			}
			s.sizes = append(s.sizes, d)
		}
		s.sizes = nearly(rng, s.sizes)
	}
	p.steps = append(p.steps, s)
}

// randomSize is a number or a small expression.
func randomSize(rng *rand.Rand) graph.Dim {
	n := graph.SymbolicDim(sizeNames[rng.IntN(len(sizeNames))])
	m := graph.SymbolicDim(sizeNames[rng.IntN(len(sizeNames))])
	switch rng.IntN(14) {
	case 0, 1:
		return graph.Dim(rng.IntN(5))
	case 2, 3:
		return 1
	case 4:
		return n.Plus(graph.Dim(rng.IntN(4) - 1))
	case 5:
		return n.Times(graph.Dim(2 + rng.IntN(2)))
	case 6:
		return n.FloorDiv(int64(2 + rng.IntN(2)))
	case 7:
		return n.Plus(m)
	case 8:
		return n.Times(m)
	case 9:
		return n.Times(2).Plus(1)
	}
	return n
}

// nearly returns a shape that broadcasts with another one, or almost.
func nearly(rng *rand.Rand, s graph.Shape) graph.Shape {
	out := graph.Shape{}
	for _, d := range s {
		switch {
		case d.IsUnknown() || rng.IntN(9) == 0:
			d = randomSize(rng)
		case rng.IntN(6) == 0:
			d = 1
		}
		out = append(out, d)
	}
	if len(out) > 0 && rng.IntN(6) == 0 {
		out = out[1:]
	}
	return out
}

// build builds the program, with numbers for the names unless at is nil.
func (p *program) build(at map[string]int64) (*graph.Graph, []*graph.Node) {
	g := graph.New("random", graph.WithPolicy(p.policy))
	if at == nil {
		for _, name := range sizeNames {
			b := p.bounds[name]
			g.Dim(name, func(to *graph.Bounds) { *to = b })
		}
		if p.equal != nil && !p.late {
			g.Equal(p.equal[0], p.equal[1])
		}
	}
	var values []*graph.Node
	for i, s := range p.steps {
		values = append(values, s.build(g, fmt.Sprintf("x%d", i), values, at))
	}
	if at == nil && p.equal != nil && p.late {
		g.Equal(p.equal[0], p.equal[1])
	}
	return g, values
}

func (s step) build(g *graph.Graph, name string, values []*graph.Node, at map[string]int64) *graph.Node {
	sizes := slices.Clone(s.sizes)
	for i, d := range sizes {
		if at != nil {
			v, err := d.Eval(func(name string) (int64, bool) { return at[name], true })
			if err != nil {
				panic(err)
			}
			sizes[i] = graph.Dim(v)
		}
	}
	if s.op == "input" {
		return g.Input(name, graph.Float32, sizes...).Mutable()
	}
	x := values[s.in[0]]
	switch s.op {
	case "add":
		return ops.Add(x, values[s.in[1]])
	case "mul":
		return ops.Mul(x, values[s.in[1]])
	case "add_":
		return ops.AddInPlace(ops.Copy(x), values[s.in[1]])
	case "matmul":
		return ops.MatMul(x, values[s.in[1]])
	case "concat":
		return ops.Concat(s.axis, x, values[s.in[1]])
	case "stack":
		return ops.Stack(s.axis, x, values[s.in[1]])
	case "conv":
		return ops.Conv2D(x, values[s.in[1]], nil, ops.Stride(1+s.axis%2), ops.Padding(s.axis%3))
	case "reshape":
		return ops.Reshape(x, sizes...)
	case "flatten":
		return ops.Reshape(x, -1)
	case "expand":
		return ops.Expand(x, sizes...)
	case "transpose":
		return ops.Transpose(x, 0, -1)
	case "unsqueeze":
		return ops.Unsqueeze(x, s.axis)
	case "pool":
		return ops.AvgPool2D(x, 2, 2)
	case "window":
		return ops.Window(x, -1, 3, 2, 1)
	case "max":
		return ops.Max(x, -1)
	}
	if s.keep {
		return ops.Sum(x, ops.Axis(s.axis), ops.KeepDims())
	}
	return ops.Sum(x, ops.Axis(s.axis))
}

func (p *program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "names policy %d, %v, equal %v, said late %t\n", p.policy.Names, p.bounds, graph.Shape(p.equal),
		p.late)
	for i, s := range p.steps {
		fmt.Fprintf(&b, "x%d = %s %v sizes %v axis %d keep %t\n", i, s.op, s.in, graph.Shape(s.sizes), s.axis, s.keep)
	}
	return b.String()
}
