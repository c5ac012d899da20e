package graph

// Reference is what the reference of operations says about an operation that cannot be derived from its other fields. What they do show is
// derived from them: dtypes, shapes, the gradient and the cost.
type Reference struct {
	// Names are what other libraries call it.
	Names Names
	// Example is a call of the operation on operands that e declares. It is nil for an
	// operation without fixed arguments whose operands all have one dtype and one shape.
	Example func(e *Example) *Node
	// Call is the example as users write it, if it cannot be derived from its node: "Cond(condition, then, otherwise)".
	Call string
	// NoGradient says why no gradient flows, where none does and the dtypes alone do not say it:
	// "it is constant between its jumps".
	NoGradient string
	// Cost is the amount of arithmetic in the example, if it does not follow from the operation's class and element: "n*log(n)
	// comparisons".
	Cost string
}

// Names are what other libraries call an operation; empty where they have none. NumPy, PyTorch and
// JAX are full paths, such as "jax.numpy.tanh".
type Names struct{ NumPy, PyTorch, JAX, ONNX, Gorgonia string }

// Example declares the operands of an example in the reference of operations.
type Example struct {
	Graph *Graph
	// DType is what [Example.Of] declares. The reference tries the example with each.
	DType DType
	// Prefix is prepended to the names of operands, if several examples are in one graph.
	Prefix string
	// Through, where it is not nil, gives what an example takes in the place of an operand that it declares.
	Through func(declared *Node) *Node
	// Results are what the call returns, where that is several values.
	Results []*Node

	certain map[string]bool // operands that As has declared
}

// Several notes what a call returns that returns several values, and returns the first of them.
func (e *Example) Several(results ...*Node) *Node {
	e.Results = results
	return results[0]
}

// IsCertain reports whether the operand of a name has a certain dtype, and not the one that is tried.
func (e *Example) IsCertain(name string) bool { return e.certain[e.Prefix+name] }

// Of declares an operand of the dtype that is tried. Sizes are as [ParseDim] reads them: "n", "3".
func (e *Example) Of(name string, sizes ...string) *Node { return e.declare(e.DType, name, sizes) }

// As declares an operand of a certain dtype.
func (e *Example) As(t DType, name string, sizes ...string) *Node {
	if e.certain == nil {
		e.certain = map[string]bool{}
	}
	e.certain[e.Prefix+name] = true
	return e.declare(t, name, sizes)
}

func (e *Example) declare(t DType, name string, sizes []string) *Node {
	x := e.Graph.Input(e.Prefix+name, t, e.Shape(sizes...)...)
	if e.Through != nil {
		x = e.Through(x)
	}
	return x
}

// Shape reads sizes as [ParseDim] does, and declares their names.
func (e *Example) Shape(sizes ...string) Shape {
	shape := make(Shape, len(sizes))
	for i, s := range sizes {
		d, err := ParseDim(s)
		if err != nil {
			d = UnknownDim
		}
		for _, name := range d.Symbols() {
			e.Graph.Dim(name)
		}
		shape[i] = d
	}
	return shape
}
