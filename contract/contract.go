package contract

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// Contract is what one call of a function takes and gives. Its names stand for sizes, the same
// in all its forms: "t" of an argument is "t" of the result.
type Contract struct {
	g          *graph.Graph
	function   string
	own        map[string]graph.Dim // sizes that were set explicitly
	global     bool                 // names are the graph's wherever it declares them
	statements []*statement
	last       *solution // of the statements so far
}

// statement is one shape that is promised.
type statement struct {
	graph.Promise
	axes  []axis
	many  int
	wrong *formError
	// sizes are the axes of a statement that was made of sizes, AnySize and AnyAxes among them;
	// trouble and cure say what is wrong with it.
	sizes         graph.Shape
	trouble, cure string
}

// New begins the contract of one call of a function, which messages call by its name. Names in
// its forms belong to this call: another call, and another function, may give them other sizes.
// Those of the named sizes given are the graph's own in every call.
//
// A name is the size that the arguments tell. What they do not tell is the graph's size of that
// name, where it declares one, and else what the results tell.
func New(g *graph.Graph, function string, sizes ...graph.Dim) *Contract {
	c := &Contract{g: g, function: function}
	for _, d := range sizes {
		c.Let(d.String(), d)
	}
	return c
}

// Let says what a name of the contract is: c.Let("h", 8). It returns the contract.
func (c *Contract) Let(name string, size graph.Dim) *Contract {
	if c.own == nil {
		c.own = map[string]graph.Dim{}
	}
	c.own[name], c.last = size, nil
	return c
}

// Takes promises the shape of an argument, which the function calls by a name, and returns it.
// The promise is proved for all sizes when the graph is checked; that it does not hold is a
// mistake of the caller. It costs nothing in a run.
func (c *Contract) Takes(name string, x *graph.Node, form string) *graph.Node {
	return c.state(graph.Promise{Node: x, Kind: graph.Taken, As: name, Form: form, Pos: place()})
}

// Gives promises the shape of a result, and returns it: return c.Gives(y, "b t d"). The promise
// is proved for all sizes when the graph is checked. It costs nothing in a run.
func (c *Contract) Gives(x *graph.Node, form string) *graph.Node {
	return c.state(graph.Promise{Node: x, Kind: graph.Given, Form: form, Pos: place()})
}

// Expect promises the shape of a value, whoever made it, and returns the value: names that the
// graph declares are its sizes, others stand for one size wherever they occur in the form. The
// promise is proved for all sizes when the graph is checked. It costs nothing in a run.
func Expect(x *graph.Node, form string) *graph.Node {
	c := &Contract{global: true}
	return c.state(graph.Promise{Node: x, Kind: graph.Expected, Form: form, Pos: place()})
}

// Size returns the size that a name of the contract stands for, as far as the arguments so far
// tell it. That they do not is a mistake, and the size unknown.
func (c *Contract) Size(name string) graph.Dim {
	s := c.solve()
	if d, known := s.value(name); known {
		return d
	}
	if c.g != nil {
		pos := place()
		c.g.Promise(graph.Promise{By: c.function, Pos: pos, Judge: func(func(graph.Requirement) bool) []*graph.Mistake {
			return []*graph.Mistake{{Code: graph.CodeContract, Pos: pos,
				Summary: fmt.Sprintf("%s uses the size %s, but none of its arguments determines it", c.function, name),
				Help:    []string{helpUntold(name)}}}
		}})
	}
	return graph.UnknownDim
}

// place is where the function that asks for it was called.
func place() graph.Pos { return graph.Caller() }

// state records a promise and returns its value.
func (c *Contract) state(p graph.Promise) *graph.Node {
	if p.Node == nil {
		return noValue(c.g, p)
	}
	g := p.Node.Graph()
	if g == nil {
		return p.Node // a number, or what could not be built
	}
	if c.g == nil {
		c.g = g
	}
	p.By = c.function
	st := &statement{Promise: p}
	if f, err := parseForm(p.Form); err != nil {
		st.wrong = err
	} else {
		st.axes, st.many = f.axes, f.many
	}
	c.add(g, st)
	if p.Kind != graph.Taken {
		c.solve() // all is told: the check need not
	}
	return p.Node
}

func (c *Contract) add(g *graph.Graph, st *statement) {
	st.Judge = func(holds func(graph.Requirement) bool) []*graph.Mistake { return c.judge(st, holds) }
	c.statements, c.last = append(c.statements, st), nil
	g.Promise(st.Promise)
}

// noValue returns a refused node for a value that is nil.
func noValue(g *graph.Graph, p graph.Promise) *graph.Node {
	what := "the value"
	if p.As != "" {
		what = p.As
	}
	op := &graph.Op{Name: "expect", Func: "Expect", Doc: "a promise of no value"}
	op.Infer = func(c *graph.Call) (graph.DType, graph.Shape) {
		c.Fail(&graph.Mistake{Code: graph.CodeOperand, Summary: fmt.Sprintf("%s, promised as %q, is nil", what, p.Form),
			Help: []string{"pass a node: the result of an operation, an input, a parameter or a constant"}})
		return graph.InvalidDType, nil
	}
	if g == nil {
		return graph.Apply(op, nil, p.Node)
	}
	return graph.ApplyIn(g, op, nil)
}

// taken lists the statements of arguments, and those that say what a value is.
func (c *Contract) taken() []*statement {
	return slices.DeleteFunc(slices.Clone(c.statements), func(st *statement) bool { return st.Kind == graph.Given })
}

// given lists the statements of results.
func (c *Contract) given() []*statement {
	return slices.DeleteFunc(slices.Clone(c.statements), func(st *statement) bool { return st.Kind != graph.Given })
}
