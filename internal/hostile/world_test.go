package hostile

import (
	"context"
	"math"
	"reflect"
	"slices"
	"sync"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// world is what one call finds: a graph of its own, another one, and what can be made of
// them. Values are made when an argument asks for them.
type world struct {
	g, other *graph.Graph
	n        graph.Dim
}

func newWorld() *world {
	w := &world{g: graph.New("hostile"), other: graph.New("other")}
	w.n = w.g.Dim("n")
	return w
}

// input returns the input of that name, and declares it at the first call.
func (w *world) input(name string, t graph.DType, shape ...graph.Dim) *graph.Node {
	if n := w.g.ByName(name); n != nil {
		return n
	}
	return w.g.Input(name, t, shape...)
}

func (w *world) param(name string, shape ...graph.Dim) *graph.Node {
	if n := w.g.ByName(name); n != nil {
		return n
	}
	return w.g.ParamInit(name, graph.Float32, nn.Ones(), shape...)
}

// program is a small one, of a graph of its own.
func (w *world) program() *exec.Program {
	g := graph.New("program")
	p, err := exec.Compile(
		g, exec.Outputs(ops.Add(g.Input("x", graph.Float32, g.Dim("n")), g.Param("w", graph.Float32))))
	if err != nil {
		panic(err)
	}
	return p
}

func (w *world) results() *exec.Results {
	p := w.program()
	x := p.Plan().Source.ByName("x")
	r, err := p.NewSession().Run(context.Background(), exec.Feed{x: exec.Array{Shape: []int{2}, Data: []float32{1, 2}}})
	if err != nil {
		panic(err)
	}
	return r
}

// named is a value with what a message calls it.
type named struct {
	text string
	make func(w *world) any
}

func known(text string, v any) named { return named{text, func(*world) any { return v }} }

// nodes are operands, right and wrong ones; the first one is the usual operand.
var nodes = []named{
	{"x[2,3]", func(w *world) any { return w.input("x", graph.Float32, 2, 3) }},
	{"nil", func(*world) any { return (*graph.Node)(nil) }},
	{"Num(2)", func(*world) any { return graph.Num(2) }},
	{"Num(NaN)", func(*world) any { return graph.Num(math.NaN()) }},
	{"mistaken", func(w *world) any {
		return ops.Add(w.input("x", graph.Float32, 2, 3), w.input("y", graph.Float32, 4, 5))
	}},
	{"mistaken without graph", func(*world) any { return ops.Add(graph.Num(1), nil) }},
	{"of another graph", func(w *world) any { return w.other.Input("foreign", graph.Float32, 2, 3) }},
	{"index[2]", func(w *world) any { return w.input("index", graph.Int64, 2) }},
	{"flags[2,3]", func(w *world) any { return w.input("flags", graph.Bool, 2, 3) }},
	{"scalar", func(w *world) any { return w.input("scalar", graph.Float64) }},
	{"vector[3]", func(w *world) any { return w.input("vector", graph.Float32, 3) }},
	{"param[2,3]", func(w *world) any { return w.param("w", 2, 3) }},
	{"mutable[2,3]", func(w *world) any { return w.input("mutable", graph.Float32, 2, 3).Mutable() }},
	{"named[n,3]", func(w *world) any { return w.input("named", graph.Float32, w.n, 3) }},
	{"empty[0,3]", func(w *world) any { return w.input("empty", graph.Float32, 0, 3) }},
	{"image[1,2,4,4]", func(w *world) any { return w.input("image", graph.Float32, 1, 2, 4, 4) }},
	{"kernel[2,2,1,0]", func(w *world) any { return w.input("kernel", graph.Float32, 2, 2, 1, 0) }},
	{"huge", func(w *world) any { return w.input("huge", graph.Float32, 1<<40) }},
	{"largest", func(w *world) any { return w.input("largest", graph.Bool, 1<<47, 2, 1<<14) }},
	{"unknown", func(w *world) any { return ops.Reshape(w.input("x", graph.Float32, 2, 3), -1, 5) }},
	{"undeclared", func(w *world) any { return w.input("undeclared", graph.Float32, graph.SymbolicDim("nowhere")) }},
	{"rank 32", func(w *world) any { return w.input("rank32", graph.Float32, highRank(32)...) }},
	{"rank 33", func(w *world) any { return w.input("rank33", graph.Float32, highRank(33)...) }},
	{"view", func(w *world) any { return ops.Transpose(ops.Copy(w.input("x", graph.Float32, 2, 3)), 0, 1) }},
	{"repeated", func(w *world) any { return ops.Expand(w.input("scalar", graph.Float64), 2, 3) }},
	{"zero node", func(*world) any { return &graph.Node{} }},
}

// highRank returns a shape of more axes than most tools have: few of them have elements beside each other.
func highRank(rank int) []graph.Dim {
	s := slices.Repeat([]graph.Dim{1}, rank)
	s[1], s[rank/2], s[rank-2], s[rank-1] = 2, 3, 2, 3
	return s
}

// sizes are sizes of axes and the like.
var sizes = []named{
	known("2", graph.Dim(2)), known("0", graph.Dim(0)), known("1", graph.Dim(1)), known("3", graph.Dim(3)),
	known("-1", graph.Dim(-1)),
	known("InvalidDim", graph.InvalidDim), known("UnknownDim", graph.UnknownDim),
	known("MaxInt64", graph.Dim(math.MaxInt64)),
	known("1<<62", graph.Dim(1<<62)), known("-1<<62", graph.Dim(-1<<62)), known("1<<40", graph.Dim(1<<40)),
	known("1<<47", graph.Dim(1<<47)),
	{"n", func(w *world) any { return w.n }},
	{"n+1 by Go", func(w *world) any { return w.n + 1 }},
	{"-n", func(w *world) any { return graph.Dim(0).Minus(w.n) }},
	{"n<<47", func(w *world) any { return w.n.Times(1 << 47) }},
	{"n²·2⁶¹", func(w *world) any { return w.n.Times(w.n).Times(1 << 61) }},
	{"n/2", func(w *world) any { return w.n.FloorDiv(2) }},
	{"nowhere", func(*world) any { return graph.SymbolicDim("nowhere") }},
}

var (
	ints = []int64{1, 0, 2, 3, -1, -2, math.MinInt64, math.MaxInt64, 1 << 62, -1 << 62, math.MaxInt32, math.MinInt32,
		1 << 40}
	floats = []float64{0.5, 0, 1, -1, 2, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64,
		math.SmallestNonzeroFloat64}
	strings = []string{"x", "", "n", "a b", "ij->ji", "ij,jk->ik", "...->", "ii", "->", "i..j", "exp", "w/*", "((((",
		"9", "\x00\xff", "n*4611686018427387904"}
)

// instances are values of types that cannot be made up.
var instances = []named{
	{"the graph", func(w *world) any { return w.g }},
	{"a graph", func(w *world) any { return w.other }},
	known("Add", ops.Lookup("add")), known("Sum", ops.Lookup("sum")), known("Reshape", ops.Lookup("reshape")),
	known("Exp", ops.Lookup("exp")),
	{"an empty Op", func(*world) any { return &graph.Op{} }},
	{"a program", func(w *world) any { return w.program() }},
	{"a session", func(w *world) any { return w.program().NewSession() }},
	{"results", func(w *world) any { return w.results() }},
	{"a mistake", func(w *world) any { return &graph.Mistake{} }},
	{"a report", func(w *world) any { return shapeinfer.Check(w.g) }},
	{"a trial", func(w *world) any { return w.g.Try() }},
	{"a prover", func(w *world) any { return prove.NewProver(w.g.Bounds) }},
	{"writes", func(w *world) any { return alias.FindWrites(w.g.Nodes()) }},
	{"ones", func(*world) any { return nn.Ones() }},
	{"a context", func(*world) any { return context.Background() }},
}

// instanceTypes are the types of instances.
var instanceTypes = sync.OnceValue(func() (types []reflect.Type) {
	for _, v := range instances {
		types = append(types, reflect.TypeOf(v.make(newWorld())))
	}
	return types
})
