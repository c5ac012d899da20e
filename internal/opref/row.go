package opref

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Row is one operation in the reference.
type Row struct {
	Name, Doc string
	Call      string // the example: "MatMul(x, y)"
	Shapes    string // of its operands and its result
	DTypes    string // that the operands called x, y … of the example take
	Gradient  string // with respect to each operand, or why there is none
	Cost      string // arithmetic of the example
	Names     graph.Names
	Facts     [][2]string // more lines, each with its title
	Others    [][2]string // names in other libraries, each with the library's

	elsewhere []string // all names in libraries
}

// Rows derives all rows, by name. An error names the function whose example is refused.
func Rows() ([]Row, error) {
	var rows []Row
	for _, f := range ops.Functions() {
		r, err := Of(f)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r.split())
	}
	return rows, nil
}

// Of derives the row of a function.
func Of(f ops.Function) (Row, error) {
	x, e, err := shown(f)
	if err != nil {
		return Row{}, err
	}
	call := f.Call
	if call == "" {
		call = x.Calls(nil)
	}
	return Row{Name: f.Name, Doc: f.Doc, Call: call, Shapes: shapes(x, e), DTypes: dtypes(f),
		Gradient: gradient(f, x), Cost: cost(f, x), Names: f.Names}, nil
}

// Shown builds the example of a function with the first dtype that it takes, preferably Float32.
func Shown(f ops.Function) (*graph.Node, error) {
	n, _, err := shown(f)
	return n, err
}

func shown(f ops.Function) (*graph.Node, *graph.Example, error) {
	var first error
	for _, t := range preferred() {
		n, e, err := try(f, t)
		if err == nil {
			return n, e, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, nil, fmt.Errorf("the example of %s is refused: %w", f.Name, first)
}

// preferred lists all dtypes, Float32 first.
func preferred() []graph.DType {
	rest := slices.DeleteFunc(graph.DTypes(), func(t graph.DType) bool { return t == graph.Float32 })
	return append([]graph.DType{graph.Float32}, rest...)
}

// operandNames are the names of operands in the reference if an example has none.
var operandNames = []string{"x", "y", "z"}

func try(f ops.Function, t graph.DType) (*graph.Node, *graph.Example, error) {
	return tryIn(f, &graph.Example{Graph: graph.New("reference"), DType: t})
}

func tryIn(f ops.Function, e *graph.Example) (*graph.Node, *graph.Example, error) {
	n, err := exampleOf(f, e)
	if err == nil {
		err = e.Graph.Err()
	}
	return n, e, err
}

// exampleOf builds the example of a function.
func exampleOf(f ops.Function, e *graph.Example) (*graph.Node, error) {
	var n *graph.Node
	if f.Example != nil {
		n = f.Example(e)
	} else {
		if f.Op == nil || f.Op.MinIn < 1 || f.Op.MinIn > len(operandNames) {
			return nil, fmt.Errorf("%s wants an Example", f.Name)
		}
		var in []*graph.Node
		for _, name := range operandNames[:f.Op.MinIn] {
			in = append(in, e.Of(name, "n"))
		}
		n = ops.Apply(f.Op, nil, in...)
	}
	return n, nil
}

// shapes returns the shapes of operands and results: "x [n, k], index int64 [m] -> [n, m]". Operands show a dtype if it
// is fixed, and results if it differs from that of the first.
func shapes(n *graph.Node, e *graph.Example) string {
	var in, out []string
	for _, x := range n.Graph().Inputs() {
		words := []string{x.Name(), x.Shape().String()}
		if e.IsCertain(x.Name()) {
			words = slices.Insert(words, 1, x.DType().String())
		}
		in = append(in, strings.Join(words, " "))
	}
	for _, x := range results(n, e) {
		text := x.Shape().String()
		if x.DType() != results(n, e)[0].DType() {
			text = x.DType().String() + " " + text
		}
		out = append(out, text)
	}
	return strings.TrimSpace(strings.Join(in, ", ") + " -> " + strings.Join(out, ", "))
}

// results are the results of an example's call.
func results(n *graph.Node, e *graph.Example) []*graph.Node {
	if len(e.Results) > 0 {
		return e.Results
	}
	return []*graph.Node{n}
}

// dtypes says which dtypes the example takes, and which its results have.
func dtypes(f ops.Function) string {
	if one := onlyDType(f); one != "" {
		return one
	}
	var order []string
	given := map[string][]graph.DType{}
	for _, t := range graph.DTypes() {
		n, _, err := try(f, t)
		if err != nil {
			continue
		}
		result := n.DType().String()
		if n.DType() == t {
			result = "" // the same
		}
		if given[result] == nil {
			order = append(order, result)
		}
		given[result] = append(given[result], t)
	}
	var parts []string
	for _, result := range order {
		part := together(given[result])
		if result != "" {
			part += " -> " + result
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

// onlyDType returns the dtypes of an example that is the same for every dtype that is tried, and "" for others.
func onlyDType(f ops.Function) string {
	var told [2]string
	for i, t := range []graph.DType{graph.Float32, graph.Int64} {
		n, _, err := try(f, t)
		if err != nil {
			return ""
		}
		var in []string
		for _, x := range n.Graph().Inputs() {
			if word := x.DType().String(); !slices.Contains(in, word) {
				in = append(in, word)
			}
		}
		told[i] = strings.TrimSpace(strings.Join(in, ", ") + " -> " + n.DType().String())
		if n.IsPart() || len(in) == 0 && strings.Contains(n.Calls(nil), t.GoName()) {
			return ""
		}
	}
	if told[0] != told[1] {
		return ""
	}
	return told[0]
}

// together lists dtypes, with one word for all integers, and one for all floating-point types.
func together(list []graph.DType) string {
	var words []string
	for _, kind := range []struct {
		of   graph.Category
		word string
	}{{graph.CategoryBool, "bool"}, {graph.CategoryInt, "integers"}, {graph.CategoryFloat, "floats"}} {
		isOther := func(t graph.DType) bool { return t.Category() != kind.of || t.IsStorage() }
		own := slices.DeleteFunc(slices.Clone(list), isOther)
		if len(own) == len(slices.DeleteFunc(graph.DTypes(), isOther)) {
			words = append(words, kind.word)
			continue
		}
		for _, t := range own {
			words = append(words, t.String())
		}
	}
	if slices.ContainsFunc(list, graph.DType.IsStorage) {
		words = append(words, "float8")
	}
	return strings.Join(words, ", ")
}

// gradient is the gradient's formula with respect to each operand.
func gradient(f ops.Function, n *graph.Node) string {
	inputs := n.Graph().Inputs()
	floating := slices.ContainsFunc(inputs, func(x *graph.Node) bool { return x.DType().IsFloat() })
	switch {
	case len(inputs) > 0 && !floating:
		return "none: no operand is a floating-point number"
	case f.NoGradient != "":
		return "none: " + f.NoGradient
	case !n.DType().IsFloat():
		return "none: the result is " + n.DType().String()
	case f.Op == nil, f.Op.Grad == nil && f.Op.Expand != nil:
		return "that of its parts"
	}
	return formulas(f, n)
}

// longest bounds a formula in the reference.
const longest = 160

// formulas writes the gradients of an entry, which are nodes, as calls.
func formulas(f ops.Function, n *graph.Node) string {
	if n.IsPart() || n.Op() != f.Op {
		return "by a rule of its own"
	}
	g := n.Graph()
	dy := g.Input("dy", n.DType(), n.Shape()...)
	var parts []string
	for i, x := range n.Operands() {
		if !x.DType().IsFloat() {
			continue
		}
		var dx *graph.Node
		g.At(n, func() { dx = f.Op.Grad(n, dy, i) })
		if dx == nil {
			parts = append(parts, fmt.Sprintf("d%s = 0", x.Called()))
			continue
		}
		text := formula(n, dx)
		if len(text) > longest {
			text = "by a rule of its own"
		}
		parts = append(parts, fmt.Sprintf("d%s = %s", x.Called(), text))
	}
	return strings.Join(parts, "; ")
}

// formula writes a node as calls within calls; n, from which gradients are computed, is "result".
func formula(n, x *graph.Node) string {
	if v, is := x.ScalarValue(); is {
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	switch x = x.Written(); {
	case x == n:
		return "result"
	case len(x.Operands()) == 0:
		return x.Called()
	}
	words := make([]string, len(x.Operands()))
	for i, in := range x.Operands() {
		words[i] = formula(n, in)
	}
	return graph.CallText(x, x.Attrs(), words...)
}
