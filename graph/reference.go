package graph

// Reference is what the reference of operations says about an operation and cannot be derived from its other fields.
// Dtypes, shapes, the gradient and the cost are derived.
type Reference struct {
	// Names are its names in other libraries.
	Names Names
	// Example is a call of the operation on operands that e declares. It is nil for an operation without fixed
	// arguments whose operands all have the same dtype and shape.
	Example func(e *Example) *Node
	// Call is the example as users write it, if it cannot be derived from its node: "Cond(condition, then, otherwise)".
	Call string
	// NoGradient says why no gradient flows, if the dtypes alone do not explain it: "it is constant between its
	// jumps".
	NoGradient string
	// Cost is the amount of arithmetic in the example, if it does not follow from the operation's class and element:
	// "n*log(n) comparisons".
	Cost string
}

// Names are the names of an operation in other libraries; empty if there are none. NumPy, PyTorch and JAX are full
// paths, such as "jax.numpy.tanh".
type Names struct{ NumPy, PyTorch, JAX, ONNX, Gorgonia string }

// Example declares the operands of an example in the reference of operations.
type Example struct {
	Graph *Graph
	// DType is the dtype that [Example.Of] declares. The reference tries the example with each.
	DType DType
	// Prefix is prepended to the names of operands, if several examples are in one graph.
	Prefix string
	// Through, if not nil, returns what the example uses instead of an operand that it declares.
	Through func(declared *Node) *Node
	// Sizes, if not nil, has the numbers for which names of sizes stand: the example is built without names.
	Sizes map[string]int64
	// Results are the results of the call, if there are several.
	Results []*Node

	certain map[string]bool // operands that As has declared
}

// Several records the results of a call that returns several values, and returns the first one.
func (e *Example) Several(results ...*Node) *Node {
	e.Results = results
	return results[0]
}

// IsCertain reports whether the operand with a name has a fixed dtype, not the one that is tried.
func (e *Example) IsCertain(name string) bool { return e.certain[e.Prefix+name] }

// Of declares an operand of the dtype that is tried. Sizes are in the form of [ParseDim]: "n", "3".
func (e *Example) Of(name string, sizes ...string) *Node { return e.declare(e.DType, name, sizes) }

// As declares an operand of a fixed dtype.
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

// Shape reads sizes as [ParseDim] does, and declares their names, or takes their numbers from Sizes.
func (e *Example) Shape(sizes ...string) Shape {
	shape := make(Shape, len(sizes))
	for i, s := range sizes {
		d, err := ParseDim(s)
		if err != nil {
			d = UnknownDim
		}
		if e.Sizes != nil {
			d = e.numbered(d)
		}
		for _, name := range d.Symbols() {
			e.Graph.Dim(name)
		}
		shape[i] = d
	}
	return shape
}

// numbered returns a size with its names replaced by numbers.
func (e *Example) numbered(d Dim) Dim {
	n, err := d.Eval(func(name string) (int64, bool) {
		size, known := e.Sizes[name]
		return size, known
	})
	if err != nil || n < 0 {
		return UnknownDim
	}
	return Dim(n)
}
