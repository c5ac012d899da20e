package graph

// Class is what kind of work an operation does. Fusion, planning and drawing look at the
// class, never at single operations.
type Class uint8

// The classes.
const (
	Source      Class = iota // no operands: inputs, parameters, constants
	Elementwise              // each element from the operands' elements at the same position
	Reduce                   // folds axes away
	Movement                 // the same elements in another arrangement, without arithmetic
	Contract                 // the matrix product of two operands, as torch.matmul
	Gather                   // elements picked or added by index
	Composite                // written with other operations; expanded before fusion
	Update                   // writes its first operand's storage; elementwise otherwise
	Version                  // names a value after a write to its memory; no work
	Loop                     // leads into the body of a loop, or out of it: see LoopRole
	Function                 // a Go function of whole arrays, example by example
)

var classes = [...]string{"source", "elementwise", "reduce", "movement", "contract", "gather", "composite", "update", "version", "loop", "function"}

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

// Op is an operation with everything about it. It is a value that a node points at,
// so that a user can define an operation exactly as package ops does. An Op must not
// change once a node has been built with it.
//
// What an operation is, its fields say; nothing is concluded from its name. Passes take the
// facts that they need from Emit, View, Axes, Assemble and Fold, and those that cannot be
// read there from Identity and Involution.
type Op struct {
	Name  string // lower-case: the word of the text form, such as "mul"
	Func  string // the user's word in messages, such as "Mul"; in lower case where only other functions use it
	Doc   string // one sentence, with the formula
	Class Class
	// MinIn and MaxIn bound the number of operands; MaxIn < 0 means no bound.
	MinIn, MaxIn int

	// Infer is the dtype and shape rule.
	Infer func(c *Call) (DType, Shape)

	// Promote returns the dtype to which each operand is converted before the node is
	// built, from the operands' dtypes and weights; nil where none is.
	Promote func(types []DType, ranks []OperandRank) []DType

	// Grad returns the gradient of a scalar with respect to operand i, when dy is its
	// gradient with respect to n; nil where none flows. It is written as if nothing
	// were broadcast: the walk sums to the operand's shape. The field is nil for an
	// operation through which no gradient is defined.
	Grad func(n, dy *Node, i int) *Node

	// Emit is the meaning of one element, of an Elementwise or Update operation.
	Emit func(e Emitter, n *Node, x []Value) Value

	// Fill says that an Update operation stores its second operand unchanged, whatever was there before.
	Fill bool

	// Indexed says that an Update operation writes along one axis by index, its second operand, as
	// Axes says, and not each element from those at its position. It is for operations that passes of the
	// compiler make.
	Indexed bool

	// OutOfPlace is the operation that computes as a new value what an Update operation
	// writes, with the same attributes; nil where there is none.
	OutOfPlace *Op

	// Identity returns the number that leaves the other operand of a binary operation unchanged: with e as operand i, and any value x of
	// dtype t as the other one, the result is x bit for bit, infinities, NaN and the sign of zero included. So that of the sum of floats
	// is -0: 0 would make 0 of -0. ok is false where there is none; the field is nil for an operation without.
	Identity func(t DType, i int) (e float64, ok bool)

	// Involution says that an operation of one operand undoes itself: applied twice, with
	// the same fixed arguments, it gives its operand bit for bit.
	Involution bool

	// Random says of an operation on places and a seed that its results look as if they had nothing to do with either: what is
	// computed of them is drawn at each place, and no position.
	Random bool

	// Fold is the reduction of a Reduce operation. Of a Gather operation it says how elements
	// that are stored by index, and fall together, are united: FoldSum, FoldProd, FoldMax or
	// FoldMin; or that elements are picked by index: NoFold.
	Fold Fold

	// Axes lists the axes of its operand that a Reduce operation folds, counted from the first,
	// in rising order. Nil says that sizes decide when they are bound: operand and result
	// have one rank, and what is folded are the axes whose size is 1 in the result alone.
	// Of a Gather operation, and an Indexed one, it gives the one axis along which indices count: of
	// the operand that it picks from, or of the result that it adds to.
	Axes func(n *Node) []int

	// View computes the layout of a Movement operation's result from its operand's layout; ok is false where the elements must be copied
	// first. It is nil for movements that always copy. Where Infer has recorded how the operand meets the axes of the result, as
	// broadcasting does, the operation repeats it like that.
	View func(n *Node, in Layout) (out Layout, ok bool)

	// Once says that View shows each element of the operand in one place at most: what is
	// true of the operand's memory, that no two elements share a cell, is true of the view.
	Once bool

	// Waits says that a node only waits for its last operand: what reads it is computed after that one, of which no element is read.
	Waits bool

	// Assemble says where a Movement operation that always copies puts its operands.
	Assemble func(n *Node) Assembly

	// Aligned gives, of a Composite operation, for each axis of operand i the axis of the result
	// at whose position it is read, or -1 if it may be read at others. It is for what Expand does
	// not show, as where positions are computed to be indices; else it is nil.
	Aligned func(n *Node, i int) []int

	// Function computes, of a Function operation, the result of one example from its operands. Its error
	// stops the run. It must give the same bits whenever it is given the same: several examples run at
	// once, and equal nodes are merged. Elements are of the dtypes in which they are computed, of which see
	// DType.Computed, but for Uint64, and the result is converted.
	Function func(a *Arrays) error

	// Core says, of a Function operation, how many of the last axes of each operand, and of the
	// result, one example has. The axes before are those of the batch, and the same in all; an operand that has none of them is whole in each example.
	Core func(n *Node) (operands []int, result int)

	// Together says that Function may be given several examples at once, which follow each other: arrays whose examples differ then have one axis more, before those of
	// an example. It must give each the same bits whatever comes with it; an error is that of the first one.
	Together bool

	// Ordered says that calls of a Function operation do more than to give a result, such as to print. In each run, and in each step of
	// the loop around it, a node of it is called once, after the nodes of ordered operations that were built before it there. It is
	// carried out where nothing needs its result, and is never merged, folded or computed again. Elements are of the operands' own dtypes,
	// and Core must give all axes. A panic of Function is an error of the run.
	Ordered bool

	// EachStep says that, in the body of a loop, the result is made anew in each step, though it be computed of values of outside
	// alone: it is memory for the step to write.
	EachStep bool

	// AsStored says that a Function operation that is not Ordered gets elements of the operands' own dtypes too, and gives them of the
	// result's.
	AsStored bool

	// Unpacks says that an operation gives one of several results that a Function operation, its first operand, has packed: a program that is to carry
	// the operation out may be given one of its results.
	Unpacks bool

	// Expand writes a Composite operation with others, on the given operands.
	Expand func(n *Node, in []*Node) *Node

	// Storage says that an operation takes operands of dtypes that are for storage alone: a Composite one is written with what moves and converts them, and what
	// stands for a mistake computes nothing. See DType.IsStorage.
	Storage bool

	// Batch computes the operation for all examples of a batch at once, for ops.Vmap: operand i has one axis more than that of n where mapped[i], the
	// batch's, in front of its own, and so has the result; other operands are the same for all examples. It gives nil where it cannot. Where it is nil, operations
	// on elements and functions are applied as they are, composites as Expand writes them, and others example by example.
	Batch func(n *Node, in []*Node, mapped []bool) *Node

	// Faster writes it as a processor computes it faster, where its shapes are such; else it gives nil, or is nil. Numbers may
	// be rounded otherwise than Expand has them rounded. Other compilers are given what Expand writes. Some operands are parameters, or views of
	// such, that the program does not write: what is computed from these alone is computed once.
	Faster func(n *Node, in []*Node, isFixed []bool) *Node

	// Ref is what the reference of operations says besides; nil for an operation without a function for users.
	Ref *Reference
}

// Assembly is a value that is assembled from operands. Element (i0, i1, …) of operand k is at (Start[k][0] + i0*Step[k][0], …), inside the
// result, and no two operands overlap.
type Assembly struct {
	Start, Step []Shape // nil for an operand that has no elements there
	Value       float64 // the value where there is no operand
}

// Put adds the place of the next operand.
func (a *Assembly) Put(start, step Shape) {
	a.Start, a.Step = append(a.Start, start), append(a.Step, step)
}

// Fold is a way of reducing elements to one.
type Fold uint8

// The reductions. Max, Min, ArgMax and ArgMin treat NaN as the winner, and the
// first of equal elements wins, as in PyTorch. MaxNumber is a maximum that is only taken
// off its elements, as by a softmax: whether a NaN among them wins, and the sign of a zero, are open.
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

// Emitter takes down the meaning of one element as a sequence of primitives. The
// compiler's emitter writes kernels, the reference evaluator's computes.
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

// Claim is the claim of a check of elements, and the content of the error if it does not hold: the message, and the place and value of the
// operand's element.
type Claim struct {
	Message string
	Operand int  // whose element is at fault
	Below   *Dim // the exclusive upper bound of an index, for the error; nil if not an index
	FromEnd bool // whether a negative index counts from there
}
