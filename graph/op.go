package graph

// Class is the kind of work that an operation does. Fusion, planning and drawing depend on the class, never on single
// operations.
type Class uint8

// The classes.
const (
	Source      Class = iota // no operands: inputs, parameters, constants
	Elementwise              // each element from the operands' elements at the same position
	Reduce                   // reduces axes
	Movement                 // the same elements in another arrangement, without arithmetic
	Contract                 // the matrix product of two operands, like torch.matmul
	Gather                   // elements picked or added by index
	Composite                // written with other operations; expanded before fusion
	Update                   // writes its first operand's storage; elementwise otherwise
	Version                  // names a value after a write to its memory; no work
	Loop                     // leads into the body of a loop, or out of it: see LoopRole
	Function                 // a Go function of whole arrays, example by example
)

var classes = [...]string{"source", "elementwise", "reduce", "movement", "contract", "gather", "composite", "update",
	"version", "loop", "function"}

// String names the class in lower case.
func (c Class) String() string {
	return nameOf(classes[:], c, "class")
}

// nameOf returns the name of one of numbered things, or of another number "fold 17".
func nameOf[T ~uint8](names []string, i T, what string) string {
	if int(i) >= len(names) {
		return what + " " + itoa(int(i))
	}
	return names[i]
}

// Valid reports whether c is one of the classes.
func (c Class) Valid() bool { return int(c) < len(classes) }

// Op is an operation with everything about it. It is a value that nodes point to, so that a user can define an
// operation exactly like package ops. An Op must not change once a node has been built with it.
//
// Its fields define the operation; nothing depends on its name. Passes take facts from Emit, View, Axes, Assemble and
// Fold, and those that cannot be derived from these from Identity and Involution.
type Op struct {
	Name  string // lower-case, used in the text form, such as "mul"
	Func  string // the name of the function in messages, such as "Mul"; in lower case if only other functions use it
	Doc   string // one sentence, with the formula
	Class Class
	// MinIn and MaxIn bound the number of operands; MaxIn < 0 means no bound.
	MinIn, MaxIn int

	// Infer is the dtype and shape rule.
	Infer func(c *Call) (DType, Shape)

	// Promote returns the dtype to which each operand is converted before the node is built, from the operands'
	// dtypes and ranks. If nil, operands are not converted.
	Promote func(types []DType, ranks []OperandRank) []DType

	// Autocast says in which dtype the operation is built in mixed precision: see [Graph.Autocast].
	Autocast AutocastRule

	// Grad returns the gradient of a scalar with respect to operand i, given dy, its gradient with respect to n; nil
	// if none flows. It is written as if nothing were broadcast: package autodiff sums to the operand's shape. The
	// field is nil if the operation has no gradient.
	Grad func(n, dy *Node, i int) *Node

	// Emit is the meaning of one element, of an Elementwise or Update operation.
	Emit func(e Emitter, n *Node, x []Value) Value

	// Fill says that an Update operation stores its second operand unchanged, whatever was there before.
	Fill bool

	// Indexed says that an Update operation writes along one axis by index, its second operand, as
	// Axes says, and not each element from those at its position. It is for operations that passes of the
	// compiler make.
	Indexed bool

	// OutOfPlace is the operation that computes what an Update operation writes as a new value, with the same
	// attributes; nil if there is none.
	OutOfPlace *Op

	// Identity returns the number that leaves the other operand of a binary operation unchanged: with e as operand i,
	// and any value x of dtype t as the other one, the result is x bit for bit, including infinities, NaN and the
	// sign of zero. For the sum of floats it is -0, since adding 0 to -0 gives 0. ok is false if there is none for t;
	// the field is nil if there is none at all.
	Identity func(t DType, i int) (e float64, ok bool)

	// Involution says that an operation of one operand is its own inverse: applied twice, with the same fixed
	// arguments, it returns its operand bit for bit.
	Involution bool

	// Random says that the results of an operation on positions and a seed look independent of both: values computed
	// from them are random numbers, not positions.
	Random bool

	// Fold is the reduction of a Reduce operation. In a Gather operation it says how elements with the same index are
	// combined: FoldSum, FoldProd, FoldMax or FoldMin; NoFold means that elements are selected by index.
	Fold Fold

	// Axes lists the axes of its operand that a Reduce operation reduces, counted from 0, in ascending order. Nil
	// means that bound sizes decide: operand and result have the same rank, and axes whose size is 1 only in the
	// result are reduced. In a Gather operation, and an Indexed one, it returns the one axis along which indices
	// count: of the operand from which it selects, or of the result to which it adds.
	Axes func(n *Node) []int

	// View computes the layout of a Movement operation's result from its operand's layout; ok is false if the
	// elements must be copied first. It is nil for movements that always copy. If Infer has recorded how the operand
	// broadcasts to the result, the operation repeats it accordingly.
	View func(n *Node, in Layout) (out Layout, ok bool)

	// Once says that View shows each element of the operand at most once: if no two elements of the operand share a
	// cell of memory, nor do those of the view.
	Once bool

	// Waits says that a node only waits for its last operand: its users are computed after that operand, no element
	// of which is read.
	Waits bool

	// Assemble says where a Movement operation that always copies puts its operands.
	Assemble func(n *Node) Assembly

	// Aligned returns, for a Composite operation and each axis of operand i, the axis of the result at whose position
	// it is read, or -1 if it may be read at other positions. It is for operations whose Expand does not show this,
	// such as those that compute indices; otherwise it is nil.
	Aligned func(n *Node, i int) []int

	// Function computes the result of one example of a Function operation from its operands. An error stops the run.
	// It must return the same bits for the same operands: several examples run at once, and equal nodes are merged.
	// Elements have the dtypes in which they are computed (see DType.Computed), except Uint64, and the result is
	// converted.
	Function func(a *Arrays) error

	// Core returns the number of last axes of each operand, and of the result, that one example of a Function
	// operation has. The axes before are those of the batch, and the same in all; an operand that has none of them is
	// passed whole to each example.
	Core func(n *Node) (operands []int, result int)

	// Together says that Function can process several consecutive examples in one call: arrays whose examples differ
	// then have one more axis, before those of an example. Each example must get the same bits in any call; an error
	// is that of the first one.
	Together bool

	// Ordered says that calls of a Function operation have side effects, such as printing. In each run, and in each
	// step of the loop around it, a node of it is called once, after the nodes of ordered operations that were built
	// before it there. It is called even if nothing needs its result, and is never merged, folded or recomputed.
	// Elements have the operands' own dtypes, and Core must return all axes. A panic of Function is an error of the
	// run.
	Ordered bool

	// EachStep says that the result is recomputed in each step of a loop's body, even if it depends only on outside
	// values: it is memory that the step writes.
	EachStep bool

	// AsStored says that a Function operation that is not Ordered also gets elements in the operands' own dtypes, and
	// returns them in that of the result.
	AsStored bool

	// Reinterprets says that the result has the bytes of the operand, as elements of another dtype.
	Reinterprets bool

	// Unpacks says that an operation returns one of several results that a Function operation, its first operand,
	// packed: a program that should run that operation may get any of its results.
	Unpacks bool

	// Expand writes a Composite operation with others, on the given operands.
	Expand func(n *Node, in []*Node) *Node

	// Storage says that an operation takes operands of storage-only dtypes: a Composite one expands to operations
	// that move and convert them, and a node for a mistake computes nothing. See DType.IsStorage.
	Storage bool

	// Batch computes the operation for all examples of a batch at once, for ops.Vmap: if mapped[i], operand i has a
	// batch axis in front of the axes of n's operand, and so has the result; other operands are the same for all
	// examples. It returns nil if it cannot. If the field is nil, elementwise operations and functions are applied
	// unchanged, composites as Expand writes them, and others example by example.
	Batch func(n *Node, in []*Node, mapped []bool) *Node

	// Faster returns a faster form for processors, or nil if its shapes have none; the field may be nil. Numbers may
	// be rounded differently from Expand's. Other compilers use Expand. Some operands are parameters, or views or
	// conversions of them, that the program does not write: what depends only on these is computed once.
	Faster func(n *Node, in []*Node, isFixed []bool) *Node

	// Ref is the additional text in the reference of operations; nil for an operation without a function for users.
	Ref *Reference
}

// Assembly is a value that is assembled from operands. Element (i0, i1, …) of operand k is at (Start[k][0] +
// i0*Step[k][0], …), inside the result, and no two operands overlap.
type Assembly struct {
	Start, Step []Shape // nil for an operand that has no elements there
	Value       float64 // the value where there is no operand
}

// Put adds the position of the next operand.
func (a *Assembly) Put(start, step Shape) {
	a.Start, a.Step = append(a.Start, start), append(a.Step, step)
}

// Fold is a way of reducing elements to one.
type Fold uint8

// The reductions. In Max, Min, ArgMax and ArgMin NaN wins, and of equal elements the first, as in PyTorch. MaxNumber
// is a maximum that is only subtracted from its elements, as in a softmax: whether NaN wins, and the sign of a zero,
// are unspecified.
const (
	NoFold Fold = iota
	FoldSum
	FoldProd
	FoldMax
	FoldMin
	FoldAny
	FoldAll
	FoldArgMax
	FoldArgMin
	FoldMaxNumber
)

var folds = [...]string{"none", "sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "max_number"}

// String names the reduction in lower case.
func (f Fold) String() string { return nameOf(folds[:], f, "fold") }

// Valid reports whether f is one of the reductions, or none.
func (f Fold) Valid() bool { return int(f) < len(folds) }

// Value is one element while an operation's meaning is written down.
type Value int32

// Emitter records the meaning of one element as a sequence of primitives. The compiler's emitter writes kernels, the
// reference evaluator's computes.
type Emitter interface {
	// Prim applies a primitive to operands of one type: see [Prim.Result].
	Prim(p Prim, x ...Value) Value
	// Const is a number of type t.
	Const(t DType, v float64) Value
	// Convert changes the type as PyTorch's Tensor.to does.
	Convert(x Value, t DType) Value
	// TypeOf returns the type of a value.
	TypeOf(x Value) DType
	// Index is the position along an axis of the node's result, as Int64.
	Index(axis int) Value
	// Size is a size of the program, as Int64.
	Size(d Dim) Value
	// Check stops the run if ok is false, with an error that states the claim.
	Check(ok Value, c Claim)
}

// Claim is a check of elements, and the content of the error if it fails: the message, and the position and value of
// the operand's element.
type Claim struct {
	Message string
	Operand int  // whose element is at fault
	Below   *Dim // the exclusive upper bound of an index, for the error; nil if not an index
	FromEnd bool // whether a negative index counts from there
}
