package shapeinfer

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/ancestors"
)

// Bound is an input with the sizes of its value.
type Bound struct {
	Node  *graph.Node
	Shape []int
}

// Sizes holds the values of named sizes.
type Sizes map[string]int64

// Lookup returns the value of a name, for Dim.Eval.
func (s Sizes) Lookup(name string) (int64, bool) {
	v, ok := s[name]
	return v, ok
}

// BindError lists all requirements that the given sizes do not meet.
type BindError struct {
	// Problems has a text of one or more lines for each.
	Problems []string
	// Places has the source position of each requirement; it is zero if there is no single line.
	Places []graph.Pos
	// Pos is the source position that bound the sizes.
	Pos graph.Pos
}

// Error lists all problems after the source position that bound the sizes.
func (e *BindError) Error() string {
	count, indent := "1 requirement not met", "\n      "
	if len(e.Problems) > 1 {
		count, indent = fmt.Sprintf("%d requirements not met", len(e.Problems)), "\n        "
	}
	text := fmt.Sprintf("%s: error %s: %s by the sizes bound", e.Pos, graph.CodeBinding, count)
	for _, p := range e.Problems {
		text += "\n      " + strings.ReplaceAll(p, "\n", indent)
	}
	return text
}

// Bind solves for the named sizes, given the sizes of the inputs, and checks every requirement that [Check] left to
// binding. Sizes given explicitly are known from the start. One [BindError] reports everything that is wrong, and says
// where each size came from.
//
// If inputs do not determine single names but everything that the graph needs, as an axis of size m+n does in a graph
// that only uses m+n, it returns some values that fit.
func Bind(g *graph.Graph, inputs []Bound, needs []graph.Requirement, given ...Sizes) (Sizes, error) {
	return bind(&binder{g: g, nodes: g.Nodes(), inputs: inputs, needs: needs}, given)
}

// BindProgram is [Bind] for a program that computes some values of a graph, as in [CheckProgram]: it checks only
// requirements of values that the program computes or derives from. A gradient derives from the value of which it is
// the gradient, and the result of ops.FullLike from the value whose shape it has: if the sizes make that value
// impossible, they are impossible too, although it is not computed.
func BindProgram(g *graph.Graph, roots []*graph.Node, inputs []Bound, needs []graph.Requirement, given ...Sizes) (Sizes,
	error) {
	b := &binder{g: g, nodes: ancestors.Of(g, roots...), inputs: inputs}
	required := make([]bool, len(g.Nodes()))
	if len(needs) > 0 {
		for _, n := range DerivedFrom(g, roots) {
			required[n.ID()] = true
		}
	}
	for _, r := range needs {
		if r.Node == nil || required[r.Node.ID()] {
			b.needs = append(b.needs, r)
		}
	}
	return bind(b, given)
}

func bind(b *binder, given []Sizes) (Sizes, error) {
	b.sizes, b.origin = Sizes{}, map[string]string{}
	b.read(given)
	if len(b.problems) == 0 {
		b.solve()
		b.checkBounds()
		b.checkInputs()
		b.checkEqual()
		b.checkRequirements()
		b.checkCounts()
		b.checkArrangements()
	}
	if len(b.problems) > 0 {
		return nil, &BindError{Problems: b.problems, Places: b.places, Pos: graph.Caller()}
	}
	return b.sizes, nil
}

// equation is an axis of an input that was given, of a declared size with names.
type equation struct {
	size  graph.Dim
	value int64
	from  string // "from input x, axis 0   (net.go:3)"
	input *graph.Node
}

func (e equation) String() string { return fmt.Sprintf("%s = %d   %s", e.size, e.value, e.from) }

// binder solves named sizes from the sizes of inputs.
type binder struct {
	g         *graph.Graph
	nodes     []*graph.Node // what is computed, each after its operands
	inputs    []Bound
	needs     []graph.Requirement
	equations []equation
	sizes     Sizes
	origin    map[string]string
	problems  []string
	places    []graph.Pos // of each problem
}

func (b *binder) problem(format string, args ...any) { b.problemAt(graph.Pos{}, format, args...) }

func (b *binder) problemAt(at graph.Pos, format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(b.problems, text) {
		b.problems, b.places = append(b.problems, text), append(b.places, at)
	}
}

// read takes the sizes in.
func (b *binder) read(given []Sizes) {
	for _, in := range b.inputs {
		n := in.Node
		if len(in.Shape) != n.Rank() {
			b.problem("input %s has rank %d, got rank %d: it is declared %s, got %s", n.Label(), n.Rank(),
				len(in.Shape), n.Shape(), ints(in.Shape))
			continue
		}
		for axis, d := range n.Shape() {
			if in.Shape[axis] < 0 {
				b.problem("axis %d of input %s is %d: sizes must be at least 0", axis, n.Label(), in.Shape[axis])
			}
			if d.IsSymbolic() {
				b.equations = append(
					b.equations, equation{d, int64(in.Shape[axis]),
						fmt.Sprintf("from input %s, axis %d   (%s)", n.Label(), axis, n.Pos()), n})
			}
		}
	}
	for _, name := range b.g.DimNames() {
		if said := b.g.Bounds(name); said.Exact {
			b.sizes[name], b.origin[name] = said.Min, fmt.Sprintf("declared at %s", b.g.DimPos(name))
		}
	}
	for _, names := range given {
		for name, v := range names {
			if !slices.Contains(b.g.DimNames(), name) {
				b.problem("%s = %d   set explicitly\nno size of graph %q has that name; there are: %s", name, v,
					b.g.Name(), strings.Join(b.g.DimNames(), ", "))
			}
			b.sizes[name], b.origin[name] = v, "set explicitly"
		}
	}
}

func (b *binder) checkBounds() {
	for _, name := range b.g.DimNames() {
		v, known := b.sizes[name]
		if !known {
			continue
		}
		bounds := b.g.Bounds(name)
		declared, help := "", ""
		switch {
		case bounds.Exact && v != bounds.Min:
			declared = bounds.String()
		case v < bounds.Min:
			declared, help = fmt.Sprintf("at least %d", bounds.Min), b.allowZero(name, v)
		case bounds.Max > 0 && v > bounds.Max:
			declared = fmt.Sprintf("at most %d", bounds.Max)
		case bounds.Multiple > 1 && v%bounds.Multiple != 0:
			declared = fmt.Sprintf("a multiple of %d", bounds.Multiple)
		default:
			continue
		}
		b.problemAt(b.g.DimPos(name), "%s = %d   %s\nit is declared %s at %s%s", name, v, b.origin[name], declared,
			b.g.DimPos(name), help)
	}
}

// checkInputs compares the sizes of inputs with what the names say.
func (b *binder) checkInputs() {
	for _, in := range b.inputs {
		for axis, d := range in.Node.Shape() {
			if n, static := d.Int(); static && n != int64(in.Shape[axis]) {
				b.problem("axis %d of input %s is %d, and it is declared %s at %s", axis, in.Node.Label(),
					in.Shape[axis], in.Node.Shape(), in.Node.Pos())
			}
		}
	}
	for _, e := range b.equations {
		if v, err := e.size.Eval(b.sizes.Lookup); err == nil && v != e.value {
			b.problem("%s%s", strings.TrimPrefix(b.where(e.size)+"\n"+e.String(), "\n"), b.meeting(e))
		}
	}
	b.checkNotGiven()
}

// checkNotGiven looks at the inputs that were not given too: what was proved may rest on it
// that their sizes are not negative.
func (b *binder) checkNotGiven() {
	for _, n := range b.g.Nodes() {
		if !n.IsInput() && !n.IsParam() {
			continue
		}
		for axis, d := range n.Shape() {
			if v, err := b.value(d); d.IsSymbolic() && err == nil && v < 0 {
				b.problemAt(n.Pos(), "axis %d of %s is declared %s, which is %d%s\ndeclared at %s", axis, n.Label(), d,
					v, b.where(d), n.Pos())
			}
		}
	}
}

// meeting tells where the input of an equation meets the one that gave its name another
// value.
func (b *binder) meeting(e equation) string {
	var other *graph.Node
	for _, first := range b.equations {
		if slices.ContainsFunc(e.size.Symbols(), func(name string) bool { return b.origin[name] == first.from }) {
			other = first.input
		}
	}
	const fromOther, fromThis = 1, 2
	depends := make([]uint8, len(b.g.Nodes()))
	for _, n := range b.nodes {
		i := n.ID()
		if n == other {
			depends[i] |= fromOther
		}
		if n == e.input {
			depends[i] |= fromThis
		}
		for _, x := range n.Operands() {
			if x != nil && x.Graph() == b.g {
				depends[i] |= depends[x.ID()]
			}
		}
		if depends[i] == fromOther|fromThis && len(n.Operands()) > 1 {
			return fmt.Sprintf("\nrequired by %s at %s", graph.Describe(n), n.Pos())
		}
	}
	return ""
}

// checkEqual compares sizes that were said to be the same.
func (b *binder) checkEqual() {
	for _, name := range b.g.DimNames() {
		is := b.g.Bounds(name).Is
		v, known := b.sizes[name]
		if other, err := b.value(is); is != 0 && known && err == nil && v != other {
			b.problemAt(b.g.EqualPos(name), "%s == %s fails: %d against %d%s\nstated at %s", name, is, v, other,
				b.where(graph.SymbolicDim(name), is), b.g.EqualPos(name))
		}
	}
}

// where tells the values of the names in sizes and where they came from, a line for each.
func (b *binder) where(sizes ...graph.Dim) string {
	var names []string
	for _, d := range sizes {
		names = append(names, d.Symbols()...)
	}
	slices.Sort(names)
	text := ""
	for _, name := range slices.Compact(names) {
		if v, known := b.sizes[name]; known {
			text += fmt.Sprintf("\n%s = %d   %s", name, v, b.origin[name])
		}
	}
	return text
}

// errNotBound says that a name has no value.
var errNotBound = fmt.Errorf("a name is not bound")

func (b *binder) value(d graph.Dim) (int64, error) {
	for _, name := range d.Symbols() {
		if _, known := b.sizes[name]; !known {
			return 0, errNotBound
		}
	}
	return d.Eval(b.sizes.Lookup)
}

// checkCounts refuses sizes with which a value has an axis of less than no elements, or
// more bytes than an int64 can count.
func (b *binder) checkCounts() {
	if len(b.problems) > 0 {
		return // sizes that are wrong anyhow
	}
	values := map[graph.Dim]int64{}
	for _, n := range b.nodes {
		if !n.Judged() {
			continue
		}
		bytes, isEmpty, static := int64(max(n.DType().Size(), 1)), false, true
		for _, d := range n.Shape() {
			v, whole := d.Int()
			if !whole {
				static = false
				if v, whole = values[d]; !whole {
					v = b.size(n, d)
					values[d] = v
				}
			}
			isEmpty = isEmpty || v == 0
			bytes = timesOrMax(bytes, v)
		}
		if bytes == math.MaxInt64 && !isEmpty && !static {
			b.problemAt(n.Pos(),
				"%s of shape %s has more elements than an int64 can count: numel: integer multiplication overflow%s\nmade at %s",
				graph.Describe(n), n.Shape(), b.where(n.Shape()...), n.Pos())
			return
		}
	}
}

// size returns the value of a size of a node, after a problem where it can be none. That of a
// name without a value counts as nothing.
func (b *binder) size(n *graph.Node, d graph.Dim) int64 {
	v, err := b.value(d)
	switch {
	case err == errNotBound:
		return 0
	case err != nil:
		b.problemAt(n.Pos(), "%s of shape %s has a size without a value: %s: %v%s\nmade at %s", graph.Describe(n),
			n.Shape(), d, err, b.where(d), n.Pos())
	case !graph.Dim(v).IsSize():
		word := "less than 0"
		if v > 0 {
			word = "beyond all memory"
		}
		b.problemAt(n.Pos(), "%s of shape %s has a size %s: %s is %d%s\nmade at %s", graph.Describe(n), n.Shape(), word,
			d, v, b.where(d), n.Pos())
	}
	return max(v, 0)
}

// timesOrMax multiplies numbers that are not negative; a product too large is MaxInt64.
func timesOrMax(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(max(a, 0)), uint64(max(b, 0)))
	if hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}

func ints(s []int) string { return graph.MakeShape(s...).String() }
