package rowprog

import "fmt"

// Reduction is a way of combining many elements into one.
type Reduction uint8

// The reductions. On Bool, Max is "any" and Min is "all".
const (
	NoReduction Reduction = iota
	Sum
	Prod
	Max
	Min
	ArgMax // the index of the first greatest element, as I64; rows only
	ArgMin // the index of the first least element, as I64; rows only
	// MaxNumber is the greatest element that is a number, +0 if that is a zero; rows only. It takes one instruction;
	// Max takes three to five.
	MaxNumber
	reductionCount
)

var reductions = [reductionCount]struct {
	name  string
	types typeSet
}{
	NoReduction: {"none", 0},
	Sum:         {"sum", numbers},
	Prod:        {"prod", numbers},
	Max:         {"max", all},
	Min:         {"min", all},
	ArgMax:      {"argmax", all},
	ArgMin:      {"argmin", all},
	MaxNumber:   {"max_number", floats},
}

// String names the reduction as program text does, such as "sum".
func (r Reduction) String() string {
	if r >= reductionCount {
		return fmt.Sprintf("Reduction(%d)", uint8(r))
	}
	return reductions[r].name
}

// Accepts reports whether the reduction is defined on elements of type t.
func (r Reduction) Accepts(t Type) bool { return r < reductionCount && reductions[r].types.has(t) }

// GivesIndex reports whether the result is an index rather than an element.
func (r Reduction) GivesIndex() bool { return r == ArgMax || r == ArgMin }

// ofRowsOnly reports whether a reduction can combine a row, but not accumulate into memory.
func (r Reduction) ofRowsOnly() bool { return r.GivesIndex() || r == MaxNumber }

// Result is the type of a reduction of elements of type t.
func (r Reduction) Result(t Type) Type {
	if r.GivesIndex() {
		return I64
	}
	return t
}
