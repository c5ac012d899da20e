package stablehlo

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// tensor is the type of a value: its elements' dtype and its sizes, which are numbers.
type tensor struct {
	dtype graph.DType
	shape []int
}

// count returns the number of elements.
func (t tensor) count() int {
	n := 1
	for _, d := range t.shape {
		n *= d
	}
	return n
}

// of returns the type of as many elements of another dtype.
func (t tensor) of(d graph.DType) tensor { return tensor{d, t.shape} }

func (t tensor) equal(u tensor) bool { return t.dtype == u.dtype && slices.Equal(t.shape, u.shape) }

// value is a result of an instruction, or an argument of a block.
type value struct {
	tensor
	def *instr // nil for an argument
}

// instr is an instruction: an operation of StableHLO, or of another dialect.
type instr struct {
	op      string // with its dialect, such as "stablehlo.add"
	in      []*value
	attrs   []attr
	regions []*block
	out     []*value
	pos     graph.Pos // the user's line
}

// attr is a property of an instruction. Its value is a text of MLIR, or a list of numbers.
type attr struct {
	name  string
	value any
}

// block is a list of instructions with arguments: a function's body, or that of a loop.
type block struct {
	args       []*value
	body       []*instr
	terminator string
	out        []*value
	consts     map[string]*value
	checks     []check
}

// check is a statement about elements that was made in a block, as one i1 value.
type check struct {
	holds   *value
	message string
	at      graph.Pos
}

func newBlock(terminator string) *block {
	return &block{terminator: terminator, consts: map[string]*value{}}
}

// argument adds an argument.
func (b *block) argument(t tensor) *value {
	v := &value{tensor: t}
	b.args = append(b.args, v)
	return v
}

// live marks the instructions whose results are returned, or needed for one that is.
func (b *block) live() map[*instr]bool {
	live := map[*instr]bool{}
	b.mark(live)
	return live
}

func (b *block) mark(live map[*instr]bool) {
	need := func(list []*value) {
		for _, v := range list {
			if v.def != nil {
				live[v.def] = true
			}
		}
	}
	need(b.out)
	for _, i := range slices.Backward(b.body) {
		if !live[i] {
			continue
		}
		need(i.in)
		for _, r := range i.regions {
			r.mark(live)
		}
	}
}
