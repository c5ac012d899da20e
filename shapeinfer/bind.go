package shapeinfer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// Bound is an input with the sizes that it was given.
type Bound struct {
	Node  *graph.Node
	Shape []int
}

// Sizes holds the values of named sizes.
type Sizes map[string]int64

// Lookup gives the value of a name, for Dim.Eval.
func (s Sizes) Lookup(name string) (int64, bool) {
	v, ok := s[name]
	return v, ok
}

// BindError says which requirements the sizes given do not meet.
type BindError struct{ Problems []string }

// Error lists all problems.
func (e *BindError) Error() string {
	return fmt.Sprintf("error %s: %s by the sizes bound\n      %s", CodeBinding,
		strings.Replace(counted(len(e.Problems), "requirement"), "requirement", "requirement not met", 1),
		strings.Join(e.Problems, "\n      "))
}

// binder solves named sizes from the sizes of inputs.
type binder struct {
	g        *graph.Graph
	sizes    Sizes
	origin   map[string]string
	problems []string
}

// Bind solves the named sizes from the sizes of the inputs given, and judges every
// requirement that was left. All that is wrong comes back in one error.
func Bind(g *graph.Graph, inputs []Bound, needs []graph.Requirement) (Sizes, error) {
	b := &binder{g: g, sizes: Sizes{}, origin: map[string]string{}}
	for _, in := range inputs {
		if len(in.Shape) != in.Node.Rank() {
			b.problem("input %s has rank %d, got rank %d: it is declared %s, got %s", in.Node.Label(), in.Node.Rank(), len(in.Shape), in.Node.Shape(), ints(in.Shape))
		}
	}
	if len(b.problems) > 0 {
		return nil, &BindError{b.problems}
	}
	b.solve(inputs)
	b.checkBounds()
	b.checkInputs(inputs)
	for _, r := range needs {
		b.checkRequirement(r)
	}
	if len(b.problems) > 0 {
		return nil, &BindError{b.problems}
	}
	return b.sizes, nil
}

func (b *binder) problem(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(b.problems, text) {
		b.problems = append(b.problems, text)
	}
}

// solve goes over the inputs until no further name can be found: first sizes that are a
// name, then expressions linear in one unknown name.
func (b *binder) solve(inputs []Bound) {
	for progress := true; progress; {
		progress = false
		for _, in := range inputs {
			for axis, d := range in.Node.Shape() {
				progress = b.solveDim(in, axis, d) || progress
			}
		}
	}
}

func (b *binder) solveDim(in Bound, axis int, d graph.Dim) bool {
	if d.IsConst() {
		return false
	}
	unknown := ""
	for _, name := range d.Symbols() {
		if _, known := b.sizes[name]; !known {
			if unknown != "" {
				return false
			}
			unknown = name
		}
	}
	if unknown == "" {
		return false
	}
	coef, rest, ok := d.Linear(unknown)
	if !ok || coef == 0 {
		return false
	}
	have := int64(in.Shape[axis])
	r, err := rest.Eval(b.sizes.Lookup)
	if err != nil {
		return false
	}
	if (have-r)%coef != 0 {
		b.problem("division had remainder: axis %d of input %s is %s, and no %s makes it %d", axis, in.Node.Label(), d, unknown, have)
		b.sizes[unknown] = (have - r) / coef
	} else {
		b.sizes[unknown] = (have - r) / coef
	}
	b.origin[unknown] = fmt.Sprintf("from input %s, axis %d", in.Node.Label(), axis)
	return true
}

func (b *binder) checkBounds() {
	for _, name := range b.g.DimNames() {
		v, known := b.sizes[name]
		if !known {
			continue
		}
		bounds := b.g.Bounds(name)
		switch {
		case v < bounds.Min:
			b.problem("%s = %d   %s; it is at least %d", name, v, b.origin[name], bounds.Min)
		case bounds.Max > 0 && v > bounds.Max:
			b.problem("%s = %d   %s; it is at most %d", name, v, b.origin[name], bounds.Max)
		case bounds.Multiple > 1 && v%bounds.Multiple != 0:
			b.problem("%s = %d   %s; it is a multiple of %d", name, v, b.origin[name], bounds.Multiple)
		}
	}
}

func (b *binder) checkInputs(inputs []Bound) {
	for _, in := range inputs {
		for axis, d := range in.Node.Shape() {
			want, err := d.Eval(b.sizes.Lookup)
			if err != nil || want == int64(in.Shape[axis]) {
				continue
			}
			why := ""
			for _, name := range d.Symbols() {
				why += fmt.Sprintf("; %s = %d %s", name, b.sizes[name], b.origin[name])
			}
			b.problem("axis %d of input %s is %d, and it is declared %s%s", axis, in.Node.Label(), in.Shape[axis], in.Node.Shape(), why)
		}
	}
}

func (b *binder) checkRequirement(r graph.Requirement) {
	x, errX := r.A.Eval(b.sizes.Lookup)
	y, errY := r.B.Eval(b.sizes.Lookup)
	if errX != nil || errY != nil {
		return // a size that nothing fed depends on
	}
	met, word := false, "=="
	switch r.Kind {
	case graph.MustEqual:
		met = x == y
	case graph.MustBroadcast:
		met, word = x == y || x == 1 || y == 1, "broadcasts with"
	case graph.MustEqualOrOne:
		met, word = x == y || y == 1, "takes"
	case graph.MustBeAtLeast:
		met, word = x >= y, ">="
	case graph.MustBeMultipleOf:
		met, word = y != 0 && x%y == 0, "is a multiple of"
	}
	if met {
		return
	}
	text := fmt.Sprintf("%s %s %s fails: %d against %d", r.A, word, r.B, x, y)
	for _, name := range slices.Compact(slices.Sorted(slices.Values(append(r.A.Symbols(), r.B.Symbols()...)))) {
		text += fmt.Sprintf("\n        %s = %d   %s", name, b.sizes[name], b.origin[name])
	}
	b.problem("%s\n        required by %s at %s (%s)", text, graph.Describe(r.Node), r.Node.Pos(), r.Why)
}

func ints(s []int) string { return graph.MakeShape(s...).String() }
