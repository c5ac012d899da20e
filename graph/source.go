package graph

import (
	"fmt"
	"math"
	"strconv"
)

// InputAttrs are the fixed arguments of an input.
type InputAttrs struct {
	Mutable bool // a program may write the memory that is fed
}

// ParamAttrs are the fixed arguments of a parameter.
type ParamAttrs struct {
	Init  Initializer
	State bool // no optimiser trains it
}

// Initializer computes a parameter's initial values.
type Initializer interface {
	// Fill writes the values of a parameter of the given shape into dst, a slice of its dtype's
	// elements, such as []float32, in row-major order, which holds
	// zeros. The seed differs from parameter to parameter and is the same in every run.
	Fill(dst any, shape []int, seed uint64)
	// String names the rule, such as "glorot_uniform".
	String() string
}

// SeedSharer is an [Initializer] of values that depend on the initial values of another parameter, such as their norms.
type SeedSharer interface {
	// SeedOf returns the name of the parameter whose seed Fill is given.
	SeedOf() string
}

// ShapeChecker is an [Initializer] that not every shape has. A parameter of another one is a
// mistake.
type ShapeChecker interface {
	// CheckShape returns what is wrong with a shape, or "".
	CheckShape(shape []int) string
}

// ConstAttrs hold a constant's elements in row-major order: a slice of its dtype's Go type, such as []float32.
type ConstAttrs struct{ Data any }

// LiteralAttrs are a number written in the program before it meets a tensor. It is a
// weak operand of promotion: it takes the tensor's dtype unless its category is higher.
type LiteralAttrs struct {
	Value float64
	Whole int64 // the exact value of an integer
	Kind  Category
}

// String returns the number as Go writes it.
func (a LiteralAttrs) String() string {
	switch a.Kind {
	case CategoryBool:
		return strconv.FormatBool(a.Whole != 0)
	case CategoryInt:
		return strconv.FormatInt(a.Whole, 10)
	}
	return strconv.FormatFloat(a.Value, 'g', -1, 64)
}

var (
	inputOp = &Op{Name: "input", Func: "Input", Doc: "A value fed to every run.", Class: Source}
	paramOp = &Op{Name: "param", Func: "Param", Doc: "A value held by a session and changed by updates.",
		Class: Source}
	constOp   = &Op{Name: "const", Func: "Constant", Doc: "A value fixed in the program.", Class: Source}
	literalOp = &Op{Name: "number", Func: "Num", Doc: "A number that takes the dtype of what it meets.", Class: Source}
)

// SourceOps lists the operations of this package.
func SourceOps() []*Op { return []*Op{inputOp, paramOp, constOp} }

// Constant makes a value fixed in the program from its elements in row-major order.
// The elements are copied. Sizes must be whole numbers.
func Constant[T Element](g *Graph, data []T, shape ...Dim) *Node {
	return g.constant(DTypeOf[T](), append([]T(nil), data...), len(data), shape)
}

// constant makes a constant of elements that must not change.
func (g *Graph) constant(t DType, data any, given int, shape Shape) *Node {
	wrong := ""
	if !t.Valid() {
		wrong, data = "a constant's elements must be a slice of a dtype's Go type, such as []float32, not "+
			typeName(data), []float64{}
	}
	g.refuseInRun()
	n := g.newNode(constOp, ConstAttrs{Data: data}, nil)
	n.pos = g.here()
	n.dtype, n.shape = t, append(Shape{}, shape...)
	count, whole := n.shape.NumElements().Int()
	switch {
	case wrong != "":
		n.fail(&Mistake{Code: CodeInvalidDType, Summary: wrong})
	case !n.shape.IsStatic() || !whole:
		n.fail(
			&Mistake{Code: CodeSize, Summary: fmt.Sprintf("a constant's sizes must be whole numbers, not %s", n.shape)})
	case count != int64(given):
		n.fail(
			&Mistake{Code: CodeSize, Summary: fmt.Sprintf("shape '%s' is invalid for input of size %d", n.shape, given),
				Help: []string{fmt.Sprintf("%s has %d elements, but got %d", n.shape, count, given)}})
	}
	n.judged = n.bad == nil
	return n
}

// typeName names the type of a value in words.
func typeName(v any) string {
	if v == nil {
		return "nil"
	}
	return fmt.Sprintf("%T", v)
}

// Scalar makes a rank-0 constant of dtype t. The value is converted as a run would
// convert it: an integer dtype truncates it towards zero.
func (g *Graph) Scalar(t DType, v float64) *Node {
	kind, whole := CategoryFloat, int64(0)
	if !math.IsNaN(v) && math.Abs(v) < 1<<63 {
		whole = int64(v)
	}
	return g.number(LiteralAttrs{Value: v, Whole: whole, Kind: kind}, t)
}

// Num makes a number that can be used as an operand: ops.Mul(x, graph.Num(0.5)). It counts in promotion as PyTorch
// counts a Python number: it takes the tensor's dtype unless its own category is higher.
func Num[T int | int32 | int64 | float32 | float64 | bool](v T) *Node {
	a := LiteralAttrs{}
	switch v := any(v).(type) {
	case bool:
		a.Kind = CategoryBool
		if v {
			a.Value, a.Whole = 1, 1
		}
	case int:
		a = LiteralAttrs{float64(v), int64(v), CategoryInt}
	case int32:
		a = LiteralAttrs{float64(v), int64(v), CategoryInt}
	case int64:
		a = LiteralAttrs{float64(v), v, CategoryInt}
	case float32:
		a = LiteralAttrs{Value: float64(v), Whole: int64(v), Kind: CategoryFloat}
	case float64:
		a = LiteralAttrs{Value: v, Whole: int64(v), Kind: CategoryFloat}
	}
	n := &Node{op: literalOp, attrs: a, shape: Shape{}, judged: true}
	n.dtype = literalDType(n)
	return n
}

func literalDType(n *Node) DType {
	switch n.attrs.(LiteralAttrs).Kind {
	case CategoryBool:
		return Bool
	case CategoryInt:
		return Int64
	}
	return Float32
}

// Literal returns the number that a node of [Num] holds.
func (n *Node) Literal() (a LiteralAttrs, ok bool) {
	if n == nil || n.op != literalOp {
		return LiteralAttrs{}, false
	}
	return n.attrs.(LiteralAttrs), true
}

// Number makes a rank-0 constant of dtype t from a number of [Num].
func (g *Graph) Number(a LiteralAttrs, t DType) *Node { return g.number(a, t) }

func (g *Graph) number(a LiteralAttrs, t DType) *Node {
	var data any = []float64{a.Value}
	if t.Valid() {
		data = t.MakeSlice(1)
		SetNumberAt(data, 0, a.Value, a.Whole)
	}
	g.refuseInRun()
	n := g.newNode(constOp, ConstAttrs{Data: data}, nil)
	n.pos = g.here()
	if n.dtype, n.shape = t, (Shape{}); !t.Valid() {
		n.failOfDType()
	}
	if n.judged = n.bad == nil && t.Valid(); n.judged && !t.Holds(a.Value) {
		if g.outside == nil {
			g.outside = map[*Node]LiteralAttrs{}
		}
		g.outside[n] = a
	}
	return n
}

// here is the place of what is being built: that of the node that a pass rewrites, of
// the forward node inside a gradient, else the caller's.
func (g *Graph) here() Pos {
	switch {
	case g == nil:
	case g.at != nil:
		return g.at.pos
	case g.origin != nil:
		return g.origin.pos
	case g.composite != nil && g.composite.pos != (Pos{}):
		return g.composite.pos
	case g.derived: // nobody is told of what is tried
		return Pos{}
	}
	return g.fromOr(Caller())
}

// ScalarValue returns the value of a constant of one element, of any rank, as a float64.
func (n *Node) ScalarValue() (v float64, ok bool) {
	a, isConst := n.attrs.(ConstAttrs)
	if !isConst || n.bad != nil || n.shape.NumElements() != 1 {
		return 0, false
	}
	v, _ = NumberAt(a.Data, 0)
	return v, true
}
