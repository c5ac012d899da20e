package viz

// model is a program as pictures see it: values and how they hang together. Any source
// fills one; what comes after knows nothing of graphs.
type model struct {
	title  string
	values []*value // operands before their users
	loose  []*fault // mistakes that belong to no value
	faults int
	// kernels are those of a compiled program, nil for a graph.
	kernels []*kernelText
	planned bool
}

// kernelText is the text about a kernel in a picture.
type kernelText struct {
	name  string
	lines []string // below the name
}

// value is one result of the program.
type value struct {
	id     int    // its place in the program
	label  string // the word of the text form: how chips call it
	name   string // the user's name without scopes, or ""
	op     string
	attrs  []string // fixed arguments that the type does not tell
	role   role
	part   part
	scope  string // enclosing scopes, joined with dots
	body   string // the scope of the innermost loop among them, or ""
	typ    typeText
	judged bool // whether the type is known
	in     []operand
	fault  *fault
	doubt  bool // follows from a mistake
	output bool
	unused bool // nothing reads it, and nobody asked for it
	kept   bool // a forward value that a gradient reads
	// gradientOf is the value of which this is the gradient, where that is certain.
	gradientOf *value
	notes      []string
	pos        string
	partOf     string // the call of the user's that the value is a part of
	call       call   // of a value of a gradient or an update

	random   bool   // draws random numbers
	converts bool   // does nothing but change the dtype
	absorbed bool   // has no box of its own
	inline   string // what stands for an absorbed value inside its users
	leaves   bool   // read by its part outside of its card
	kernel   *kernelText
	framed   bool   // stands in a frame of its kernel
	planned  bool   // it is known whether it is stored
	stored   bool   // written to memory
	buffer   string // where it is stored, in a few words
	cut      bool   // some operand or user is left out of the view
	divided  []int  // the mesh axes over which the value is divided
	shown    bool   // chips refer to it, so that its box must show its label
}

// role is what a value is for; it decides the look of its box.
type role uint8

const (
	rolePlain role = iota
	roleInput
	roleParam
	roleConst
	roleSeed     // what a gradient starts from
	roleReduce   // folds axes away
	roleMovement // arranges elements, computes nothing
	roleUpdate   // writes its first operand
)

// isSource reports whether values of this role have no operands to compute from.
func (r role) isSource() bool { return r == roleInput || r == roleParam || r == roleConst }

// part is the section of a program that a value belongs to.
type part uint8

const (
	forward part = iota
	gradient
	update // what is computed from gradients
	partCount
)

var partNames = [partCount]string{"forward", "gradient", "update"}

// operand is one use of a value.
type operand struct {
	from   *value
	word   string // what is printed where from is nil: an operand of another graph
	axes   []axis // the result's axes as this operand meets them; nil where all are the same
	as     string // the dtype it is converted to on the way, or ""
	writes bool   // its storage is written
}

// typeText is a dtype and a shape, with marks on axes.
type typeText struct {
	dtype string
	axes  []axis
}

// axis is one size in print.
type axis struct {
	size string
	mark mark
	to   string // the size that a summed axis is left with, or ""
}

type mark uint8

const (
	markNone mark = iota
	markStretched
	markUndecided
	markSummed
	markBad
)

// String returns the type without its marks.
func (t typeText) String() string {
	s := t.dtype + "["
	for i, a := range t.axes {
		if i > 0 {
			s += ","
		}
		s += a.size
	}
	return s + "]"
}

// fault is a mistake as its box tells it.
type fault struct {
	code     string
	summary  string
	operands []faultOperand
	pos      string
	whole    string // the complete message
}

type faultOperand struct {
	label string
	typ   typeText
}

// countUsers returns, by id, the number of uses of each value.
func (m *model) countUsers() []int {
	users := make([]int, m.idLimit())
	for _, v := range m.values {
		for _, x := range v.in {
			if x.from != nil {
				users[x.from.id]++
			}
		}
	}
	return users
}

// idLimit is one more than the greatest id.
func (m *model) idLimit() int {
	if len(m.values) == 0 {
		return 0
	}
	return m.values[len(m.values)-1].id + 1
}
