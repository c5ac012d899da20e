package ops

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/results"
)

// CallbackResult describes one result of a Go function. Its shape may contain named sizes, such as those of an
// operand.
type CallbackResult struct {
	DType graph.DType
	Shape graph.Shape
}

// CallbackResults is [Callback] with several results: one call fills a.Outs, in the order of results. It may also
// replace one with its own array, made with graph.NewArray, of the declared dtype and shape. The function is called
// once in each run, in the same order as with Callback, even if only one of its results is used; exec.Updates with
// any of them runs it. This returns the least and the greatest element and their indices:
//
//	ends := ops.CallbackResults("Ends", []*graph.Node{x}, []ops.CallbackResult{{x.DType(), graph.Shape{}}, {graph.Int64, graph.Shape{2}}},
//		func(a *graph.Arrays) error {
//			in, places := graph.Elements[float32](a.In[0]), graph.Elements[int64](a.Outs[1])
//			…
//		}, nil)
//
// backward returns the gradients, one for each of in, of its shape, or nil if none flows. It gets the results y,
// their gradients dy and in. A gradient is zero if none flows, and nil for results that are not floating-point
// numbers. It is called once for all results. If backward is nil, a gradient that flows through a result is an error.
func CallbackResults(name string, in []*graph.Node, results []CallbackResult, call func(a *graph.Arrays) error,
	backward func(y, dy, in []*graph.Node) []*graph.Node) []*graph.Node {
	return callbackResults("CallbackResults", true, name, in, results, call, backward)
}

// PureCallback is [CallbackResults] for a pure function: it has no side effects, and the same operands always give
// the same results. It is called only if a result is needed, and again if a gradient of a loop recomputes values. It
// is jax.pure_callback; CallbackResults is jax.experimental.io_callback.
func PureCallback(name string, in []*graph.Node, results []CallbackResult, call func(a *graph.Arrays) error,
	backward func(y, dy, in []*graph.Node) []*graph.Node) []*graph.Node {
	return callbackResults("PureCallback", false, name, in, results, call, backward)
}

// packedCall is a call of a function of several results. They lie one after the other in bytes, those with the largest
// elements first, so that all lie where elements of their size may lie.
type packedCall struct {
	name     string
	inputs   int
	results  []CallbackResult
	order    []int // of results in the bytes
	from, to []graph.Dim
	call     func(a *graph.Arrays) error
	unpack   []*graph.Op // of each result
	carrier  *graph.Op
}

func callbackResults(fn string, ordered bool, name string, in []node, results []CallbackResult,
	call func(a *graph.Arrays) error,
	backward func(y, dy, in []node) []node) []node {
	in, results = slices.Clone(in), slices.Clone(results)
	defer building(name, anys(in)...)()
	if bad := badResults(fn, name, in, results, call); bad != nil {
		return slices.Repeat([]node{bad}, max(len(results), 1))
	}
	p := &packedCall{name: name, inputs: len(in), results: results, call: call, from: make([]graph.Dim, len(results)),
		to: make([]graph.Dim, len(results))}
	for i := range results {
		results[i].Shape = slices.Clone(results[i].Shape)
		p.order = append(p.order, i)
	}
	slices.SortStableFunc(p.order, func(i, k int) int { return results[k].DType.Size() - results[i].DType.Size() })
	bytes := graph.Dim(0)
	for _, i := range p.order {
		p.from[i] = bytes
		bytes = bytes.Plus(results[i].Shape.NumElements().Times(graph.Dim(results[i].DType.Size())))
		p.to[i] = bytes
	}
	op := &graph.Op{Name: "callback", Func: name, Doc: "the results of a Go function, as bytes.", Class: graph.Function,
		Ordered: ordered, AsStored: !ordered,
		MinIn: 1, MaxIn: -1, Core: wholeOperands, Function: p.run,
		Infer: func(*graph.Call) (graph.DType, graph.Shape) { return graph.Uint8, graph.Shape{bytes} },
	}
	packed := graph.Apply(op, nil, append(slices.Clone(in), p.sizes(in[0].Graph())...)...)
	p.gradient(backward)
	return p.unpacked(packed, in)
}

// badResults returns the node of a mistake of the arguments.
func badResults(fn, name string, in []node, results []CallbackResult, call func(a *graph.Arrays) error) node {
	refuse := func(code graph.Code, format string, args ...any) node {
		return refusal(refused(fn, in...), &graph.Mistake{Code: code, Summary: fmt.Sprintf(format, args...)})
	}
	if bad := notNodes(refused(fn, in...)); bad != nil {
		return bad
	}
	switch {
	case call == nil:
		return refuse(graph.CodeOperand, "the function of %s is nil", name)
	case len(in) == 0:
		return refusal(refused(fn), nil)
	case len(results) == 0:
		return refuse(graph.CodeOperand, "%s has no results", name)
	}
	for i, r := range results {
		if !r.DType.Valid() {
			return refuse(graph.CodeDType, "result %d of %s has no dtype: %s", i, name, r.DType)
		}
		for _, d := range r.Shape {
			if n, whole := d.Int(); whole && n < 0 || d.IsUnknown() || !d.Valid() {
				return refuse(graph.CodeOperand, "result %d of %s has the shape %s, in which %s is not a valid size", i,
					name, r.Shape, d)
			}
		}
	}
	return nil
}

// sizes returns an operand with the sizes of all results, or none where all of them are numbers.
func (p *packedCall) sizes(g *graph.Graph) []node {
	if !slices.ContainsFunc(p.results, func(r CallbackResult) bool { return !r.Shape.IsStatic() }) {
		return nil
	}
	var list []node
	for _, r := range p.results {
		for _, d := range r.Shape {
			list = append(list, Unsqueeze(Size(g, graph.Int64, d), 0))
		}
	}
	return []node{Concat(0, list...)}
}

// run calls the function with room for its results.
func (p *packedCall) run(a *graph.Arrays) error {
	in, bytes := a.In, a.Out
	var sizes []int64
	if len(in) > p.inputs {
		sizes = graph.Elements[int64](in[p.inputs])
	}
	room := make([]graph.Array, len(p.results))
	for i, r := range p.results {
		shape := make([]int, len(r.Shape))
		for k, d := range r.Shape {
			if n, whole := d.Int(); whole {
				shape[k] = int(n)
			}
			if sizes != nil {
				shape[k], sizes = int(sizes[0]), sizes[1:]
			}
		}
		room[i] = graph.Array{DType: r.DType, Shape: shape}
	}
	at := bytes.Ptr
	for _, i := range p.order {
		if n := len(room[i].Shape); room[i].NumElements() > 0 || n == 0 {
			room[i].Ptr = at
			at = unsafe.Add(at, room[i].NumElements()*room[i].DType.Size())
		}
	}
	a.In, a.Out, a.Outs = in[:p.inputs], graph.Array{}, slices.Clone(room)
	for i := range room {
		results.Mark(room[i])
		a.Outs[i].Shape = slices.Clone(room[i].Shape)
	}
	defer func() { a.In, a.Out, a.Outs = in, bytes, nil }()
	if err := p.call(a); err != nil {
		return err
	}
	if len(a.Outs) != len(room) {
		return fmt.Errorf("it left %d results, but %d were declared", len(a.Outs), len(room))
	}
	for i, given := range a.Outs {
		what := fmt.Sprintf("result %d", i)
		if err := cmp.Or(results.Take(what, given, room[i]), results.Filled(what, room[i])); err != nil {
			return err
		}
	}
	return nil
}

// unpacked returns the results, each of which is the part of the packed bytes that it lies in.
func (p *packedCall) unpacked(packed node, in []node) []node {
	list := make([]node, len(p.results))
	var carrier node
	if p.carrier != nil {
		carrier = graph.Apply(p.carrier, nil, append([]node{packed}, in...)...)
	}
	for i := range list {
		list[i] = p.result(i, packed, carrier)
	}
	return list
}

func (p *packedCall) result(i int, packed, carrier node) node {
	if p.results[i].DType.IsFloat() {
		return graph.Apply(p.unpack[i], nil, packed, carrier)
	}
	return graph.Apply(p.unpack[i], nil, packed)
}

// fromBytes is the operation that makes elements of bytes.
func fromBytes(r CallbackResult) *graph.Op {
	return &graph.Op{Name: "from_bytes", Func: "fromBytes", Doc: "elements whose bytes are given.",
		Class: graph.Function, AsStored: true, MinIn: 1, MaxIn: 1, Core: wholeOperands,
		Function: func(a *graph.Arrays) error {
			copy(a.Out.Bytes(), a.In[0].Bytes())
			return nil
		},
		Infer: func(*graph.Call) (graph.DType, graph.Shape) { return r.DType, slices.Clone(r.Shape) },
	}
}
