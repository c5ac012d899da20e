package gradcheck

import (
	"fmt"
	"math"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// Entry is one element whose gradient differs.
type Entry struct {
	Index      []int   // of the element
	Gradient   float64 // as computed by autodiff
	Difference float64 // the central difference
	Relative   float64 // the difference between the two, in units of [Tolerance]
}

// Error lists gradients that differ from finite differences.
type Error struct {
	What    string      // "gradient" or "gradient of the gradient"
	Value   *graph.Node // with respect to which it was computed
	Entries []Entry     // the differing ones, in the order of the elements
	Count   int         // of all elements
}

// maxEntries bounds those that the text shows.
const maxEntries = 5

// Error lists the entries that differ.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "gradcheck: the %s with respect to %s differs from finite differences in %d of %d elements:",
		e.What, e.Value.Called(), len(e.Entries), e.Count)
	for i, x := range e.Entries {
		if i == maxEntries {
			fmt.Fprintf(&b, "\n  and %d more", len(e.Entries)-maxEntries)
			break
		}
		fmt.Fprintf(&b, "\n  %s%v: the gradient is %.9g, the difference %.9g, relative error %.2g", e.Value.Called(),
			x.Index, x.Gradient, x.Difference, x.Relative)
	}
	return b.String()
}

// differing compares the gradients of one value with differences.
func (s *settings) differing(what string, x *graph.Node, shape []int, analytic, numeric []float64) error {
	scale := 1.0
	for _, v := range numeric {
		if a := math.Abs(v); !math.IsInf(a, 0) {
			scale = max(scale, a)
		}
	}
	e := &Error{What: what, Value: x, Count: len(numeric)}
	for k, want := range numeric {
		off := math.Abs(analytic[k]-want) / scale
		if !(off <= s.tolerance) { // NaN too
			e.Entries = append(e.Entries, Entry{indexOf(k, shape), analytic[k], want, off})
		}
	}
	if len(e.Entries) == 0 {
		return nil
	}
	return e
}

// indexOf is the place of element k of a row-major array.
func indexOf(k int, shape []int) []int {
	index := make([]int, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		index[i] = k % shape[i]
		k /= shape[i]
	}
	return index
}
