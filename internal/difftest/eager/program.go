package eager

import (
	"fmt"
	"slices"
	"strings"
)

// DType names the type of a tensor's elements.
type DType string

// The types of elements.
const (
	Bool     DType = "bool"
	Uint8    DType = "uint8"
	Int8     DType = "int8"
	Int16    DType = "int16"
	Uint16   DType = "uint16"
	Int32    DType = "int32"
	Uint32   DType = "uint32"
	Int64    DType = "int64"
	Uint64   DType = "uint64"
	Float16  DType = "float16"
	BFloat16 DType = "bfloat16"
	Float32  DType = "float32"
	Float64  DType = "float64"
)

// IsFloat reports whether elements are floating-point numbers.
func (t DType) IsFloat() bool { return kinds[t].order >= 20 }

// IsInt reports whether elements are whole numbers.
func (t DType) IsInt() bool { return kinds[t].order/10 == 1 }

// IsUnsigned reports whether elements are whole numbers that are not negative.
func (t DType) IsUnsigned() bool { return kinds[t].unsigned }

// Term is a number times named sizes.
type Term struct {
	Times int
	Names []string `json:",omitempty"`
}

// Size is a sum of terms.
type Size []Term

// Whole is the size that is a number.
func Whole(n int) Size { return Size{{Times: n}} }

// Eval returns the size for given values of the names.
func (s Size) Eval(at map[string]int) int {
	sum := 0
	for _, t := range s {
		v := t.Times
		for _, name := range t.Names {
			v *= at[name]
		}
		sum += v
	}
	return sum
}

// IsWhole reports whether the size is a number.
func (s Size) IsWhole() bool {
	for _, t := range s {
		if len(t.Names) > 0 {
			return false
		}
	}
	return true
}

// String writes the size as a formula.
func (s Size) String() string {
	var terms []string
	for _, t := range s {
		terms = append(terms, strings.Join(append([]string{fmt.Sprint(t.Times)}, t.Names...), "*"))
	}
	return strings.Join(terms, "+")
}

// Input is an input of a program.
type Input struct {
	T       DType
	Shape   []Size
	Param   bool   `json:",omitempty"` // held by the session, and may be written
	Mutable bool   `json:",omitempty"` // an input that may be written
	Kind    string // how its elements are drawn: see [Program.Draw]
	Below   Size   `json:",omitempty"` // of indices: the elements are below it
}

// Step is one operation, which defines the meaning of its numbers.
type Step struct {
	Op      string
	In      []int     `json:",omitempty"` // values, inputs first; -1 is none
	I       []int     `json:",omitempty"`
	F       []float64 `json:",omitempty"`
	S       []Size    `json:",omitempty"`
	T       DType     `json:",omitempty"`
	Keep    bool      `json:",omitempty"` // folded axes stay with size 1
	Text    string    `json:",omitempty"`
	Outside string    `json:",omitempty"` // what indices out of range do: see outside.go
	// Body is the steps of a loop, or of a branch. The values of a body are numbered from 0, as its entry says. The
	// last ones are its results.
	Body []Step `json:",omitempty"`
	Else []Step `json:",omitempty"` // the other branch, or the condition of a loop
	N    int    // the number of values that it gives
}

// Name is a named size and its least value.
type Name struct {
	Name    string
	AtLeast int
}

// Gradient asks for the gradients of a scalar value, and the second ones.
type Gradient struct {
	Of     int   // the value
	Up     int   // a value that arrives there as gradient, or -1: then Of is a scalar
	Wrt    []int // inputs
	Second bool  // and the gradients of the first ones' product with further inputs
	// Rate, if not 0, is that of gradient descent: parameters among Wrt are lowered by Rate times their gradients,
	// which are then no outputs.
	Rate float64 `json:",omitempty"`
}

// Program is a program as plain data. Values are numbered: inputs, then the results of steps.
type Program struct {
	Seed     uint64 // of the elements of inputs
	Names    []Name
	Policy   string // how named sizes meet: "numpy", "unify" or "strict"
	Equal    bool   `json:",omitempty"` // the first two names are said to be the same size
	Inputs   []Input
	Steps    []Step
	Outputs  []int
	Updates  []int            // writes of parameters that each run carries out
	Gradient *Gradient        `json:",omitempty"`
	Bindings []map[string]int // the sizes of runs, one after the other
	Foreign  []map[string]int `json:",omitempty"` // sizes at which the program may have no value
	Again    int              `json:",omitempty"` // how often a run is repeated on the parameters that it left
}

// Sizes returns the sizes of a run: those of Bindings, then the foreign ones.
func (p *Program) Sizes(run int) map[string]int {
	if run < len(p.Bindings) {
		return p.Bindings[run]
	}
	return p.Foreign[run-len(p.Bindings)]
}

// Steps reports whether each run lowers an input by its gradient.
func (d *Gradient) Steps(p *Program, id int) bool {
	return d != nil && d.Rate != 0 && p.Inputs[id].Param && slices.Contains(d.Wrt, id)
}

// Values returns the number of the first value of each step.
func (p *Program) Values() []int {
	first := make([]int, len(p.Steps))
	at := len(p.Inputs)
	for k, s := range p.Steps {
		first[k] = at
		at += s.N
	}
	return first
}
