package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// fixes lists changes with which all axes of a statement are proved: at most one.
func (s *solution) fixes(st *statement, list []failure) []graph.Fix {
	for _, way := range []func(*statement, []failure) (graph.Fix, bool){
		s.before, s.loopAxis, s.flatten, s.transpose, s.moved, s.reorder, s.declare} {
		if fix, ok := way(st, list); ok {
			return []graph.Fix{fix}
		}
	}
	return nil
}

// before takes the value as it was before the operation that made it.
func (s *solution) before(st *statement, _ []failure) (fix graph.Fix, ok bool) {
	if len(st.Node.Operands()) != 1 || !st.Node.In(0).Judged() {
		return fix, false
	}
	x := st.Node.In(0)
	if want := s.shape(st); len(want) != x.Rank() || len(differing(x.Shape(), want)) > 0 {
		return fix, false
	}
	return graph.Fix{Kind: graph.FixArguments, Gives: x.Shape(),
		Text: fmt.Sprintf("%s has that shape, %s, before %s", x.Called(), x.Shape(), graph.Calling(st.Node)),
		At:   st.Node}, true
}

// loopAxis lets a loop go over another axis of its values, where a value's slices have the size that the steps should
// have: an argument has the size over which the loop goes.
func (s *solution) loopAxis(_ *statement, list []failure) (fix graph.Fix, ok bool) {
	for _, taken := range s.c.taken() {
		e := taken.Node
		a, isLoop := e.Loop()
		if !isLoop || a.Role != graph.LoopElement || a.Body.Spec().Example || !slices.Contains(e.InCall(), e.In(0)) {
			continue
		}
		x, steps := e.In(0), a.Body.Length()
		for _, f := range list {
			size := f.left
			if size == steps {
				size = f.right
			} else if f.right != steps {
				continue
			}
			if at := slices.Index(e.Shape(), size); at >= 0 {
				gives := slices.Delete(slices.Clone(x.Shape()), at+1, at+2)
				return graph.Fix{Kind: graph.FixArguments, Gives: gives, At: e,
					Text: fmt.Sprintf("let the loop go over axis %d of %s: ops.Loop{Axis: %d, …} gives slices %s", at+1,
						x.Called(), at+1, gives)}, true
			}
		}
	}
	return fix, false
}

// transpose exchanges two axes of the value.
func (s *solution) transpose(st *statement, list []failure) (fix graph.Fix, ok bool) {
	have, want := st.Node.Shape(), s.shape(st)
	bad := differing(have, want)
	if len(bad) != 2 || have[bad[0]] != want[bad[1]] || have[bad[1]] != want[bad[0]] {
		return fix, false
	}
	changed := slices.Clone(have)
	changed[bad[0]], changed[bad[1]] = have[bad[1]], have[bad[0]]
	return graph.Fix{Kind: graph.FixTranspose, Gives: changed,
		Text: fmt.Sprintf("Transpose(%s, %d, %d) gives %s", st.Node.Called(), bad[0], bad[1], changed)}, true
}

// flatten merges the last axes, if the promise is one axis of their product behind any others.
func (s *solution) flatten(st *statement, list []failure) (fix graph.Fix, ok bool) {
	have := st.Node.Shape()
	if st.sizes != nil || len(list) != 1 || list[0].axis != len(have)-1 || st.many < 0 || st.many != st.count()-2 {
		return fix, false
	}
	if name, _, has := st.fixedCount(); has && s.counts[name].by != st {
		return fix, false
	}
	for first := 1; first < len(have)-1; first++ { // axis 0 is that of examples
		if have[first:].NumElements() == list[0].right {
			flat := append(slices.Clone(have[:first]), list[0].right)
			return graph.Fix{Kind: graph.FixReshape, Gives: flat,
				Text: fmt.Sprintf("Flatten(%s, %d, -1) gives %s", st.Node.Called(), first, flat)}, true
		}
	}
	return fix, false
}

// moved moves the one axis that has the size wanted of another axis: channels or features in the wrong place.
func (s *solution) moved(st *statement, list []failure) (fix graph.Fix, ok bool) {
	have := st.Node.Shape()
	if len(list) != 1 || list[0].broadcast || list[0].positive {
		return fix, false
	}
	to, want := list[0].axis, list[0].right
	from, only := onlyOne(len(have), func(i int) bool { return have[i] == want })
	if !only {
		return fix, false
	}
	for axis := min(from, to); axis <= max(from, to); axis++ {
		if axis != to && !s.isFree(st, axis) {
			return fix, false
		}
	}
	changed := slices.Insert(slices.Delete(slices.Clone(have), from, from+1), to, want)
	call := fmt.Sprintf("MoveAxis(%s, %d, %d)", st.Node.Called(), from, to)
	if max(from, to)-min(from, to) == 1 {
		call = fmt.Sprintf("Transpose(%s, %d, %d)", st.Node.Called(), min(from, to), max(from, to))
	}
	return graph.Fix{Kind: graph.FixTranspose, Gives: changed, Text: fmt.Sprintf("%s gives %s", call, changed)}, true
}

// isFree reports whether a statement promises nothing of an axis but a name, which no other axis of an argument has.
func (s *solution) isFree(st *statement, axis int) bool {
	for _, e := range s.equations {
		if e.st != st || e.axis != axis {
			continue
		}
		names := locals(e.right)
		if len(names) != 1 || e.right != local(names[0]) || s.by[names[0]] != st {
			return false
		}
		for _, other := range s.equations {
			if other != e && other.st.Kind != graph.Given &&
				(slices.Contains(locals(other.left), names[0]) || slices.Contains(locals(other.right), names[0])) {
				return false
			}
		}
	}
	return true
}

// reorder exchanges two axes before a reshape that merges neighbours, as those of heads and places,
// where that gives the shape and no other exchange does.
func (s *solution) reorder(st *statement, _ []failure) (fix graph.Fix, ok bool) {
	n, want := st.Node, s.shape(st)
	if n.Op().Class != graph.Movement || len(n.Operands()) != 1 || !n.In(0).Judged() ||
		n.In(0).Shape().NumElements() != n.Shape().NumElements() {
		return fix, false
	}
	x := n.In(0)
	for i := range x.Rank() {
		for j := i + 1; j < x.Rank(); j++ {
			changed := slices.Clone(x.Shape())
			changed[i], changed[j] = changed[j], changed[i]
			if !merges(changed, want) {
				continue
			}
			if ok {
				return fix, false
			}
			fix, ok = graph.Fix{Kind: graph.FixTranspose, Gives: want, At: n,
				Text: fmt.Sprintf("%s merges other neighbours: with Transpose(%s, %d, %d), %s, before it, it gives %s",
					graph.Calling(n), x.Called(), i, j, changed, want)}, true
		}
	}
	return fix, ok
}

// merges reports whether each size of a shape is the product of neighbours of another one.
func merges(from, into graph.Shape) bool {
	for _, d := range into {
		product := graph.Dim(1)
		for len(from) > 0 && (product != d || from[0] == 1) {
			product, from = product.Times(from[0]), from[1:]
		}
		if product != d {
			return false
		}
	}
	return len(from) == 0
}

// differing lists the axes on which two shapes are not the same.
func differing(have, want graph.Shape) (axes []int) {
	for i, d := range want {
		if !d.IsUnknown() && d != have[i] {
			axes = append(axes, i)
		}
	}
	return axes
}

// rankFixes lists the change of a value that has one axis of size 1 too many or too few.
func (s *solution) rankFixes(st *statement) []graph.Fix {
	have, word := st.Node.Shape(), st.Node.Called()
	if st.many >= 0 {
		return nil
	}
	switch st.count() {
	case len(have) - 1:
		if at, only := onlyOne(len(have), func(i int) bool { return have[i] == 1 }); only {
			less := slices.Delete(slices.Clone(have), at, at+1)
			return []graph.Fix{{Kind: graph.FixSqueeze, Gives: less,
				Text: fmt.Sprintf("Squeeze(%s, %d) gives %s", word, at, less)}}
		}
	case len(have) + 1:
		if at, only := onlyOne(st.count(), func(i int) bool { return s.isOne(st, i) }); only {
			more := slices.Insert(slices.Clone(have), at, 1)
			return []graph.Fix{{Kind: graph.FixUnsqueeze, Gives: more,
				Text: fmt.Sprintf("Unsqueeze(%s, %d) gives %s", word, at, more)}}
		}
	}
	return nil
}

// isOne reports whether the size 1 is promised of an axis.
func (s *solution) isOne(st *statement, i int) bool {
	if st.sizes != nil {
		return st.sizes[i] == 1
	}
	size := st.axes[i].size
	return size != nil && (size.op == number && size.num == 1 || size.op == name && s.c.own[size.name] == 1)
}

// onlyOne returns the one number below n of which something is true.
func onlyOne(n int, is func(int) bool) (at int, ok bool) {
	found := 0
	for i := range n {
		if is(i) {
			at = i
			found++
		}
	}
	return at, found == 1
}

// declare says something more of the named sizes.
func (s *solution) declare(st *statement, list []failure) (fix graph.Fix, ok bool) {
	g := st.Node.Graph()
	said := map[string]graph.Bounds{}
	bounds := func(name string) graph.Bounds {
		if b, changed := said[name]; changed {
			return b
		}
		return g.Bounds(name)
	}
	var words []string
	equal := false
	for _, f := range list {
		if f.never {
			return fix, false
		}
		if prove.NewProver(bounds).Judge(f.requirement()) == prove.Proved {
			continue
		}
		word, isEqual, ok := f.declare(bounds, said)
		if !ok {
			return fix, false
		}
		words, equal = append(words, word), equal || isEqual
	}
	if equal {
		return graph.Fix{Kind: graph.FixEqual,
			Text: "if they are the same size, declare it: " + strings.Join(words, ", ")}, len(words) > 0
	}
	return graph.Fix{Kind: graph.FixDeclare,
		Text: fmt.Sprintf("declare %s and it is proved", strings.Join(words, " and "))}, len(words) > 0
}

// declare looks for a declaration with which a failure is proved, and notes it.
func (f failure) declare(bounds graph.BoundsOf, said map[string]graph.Bounds) (word string, equal, ok bool) {
	for _, name := range prove.NamesOf(bounds, f.left, f.right) {
		for _, more := range f.more(bounds(name)) {
			try := func(other string) graph.Bounds {
				if other == name {
					return more.bounds
				}
				return bounds(other)
			}
			if prove.NewProver(try).Judge(f.requirement()) == prove.Proved {
				said[name] = more.bounds
				return fmt.Sprintf("g.Dim(%q, %s)", name, more.word), false, true
			}
		}
	}
	if f.positive {
		return "", false, false
	}
	for _, pair := range [][2]graph.Dim{{f.left, f.right}, {f.right, f.left}} {
		name := pair[0].Symbols()
		if len(name) != 1 || pair[0] != graph.SymbolicDim(name[0]) ||
			slices.Contains(prove.NamesOf(bounds, pair[1]), name[0]) || bounds(name[0]).Is != 0 {
			continue
		}
		b := bounds(name[0])
		if b.Is = pair[1]; b.Is != 0 {
			said[name[0]] = b
			return fmt.Sprintf("g.Equal(%s, %s)", pair[0], pair[1]), true, true
		}
	}
	return "", false, false
}

// saying is one thing more that can be declared of a size.
type saying struct {
	bounds graph.Bounds
	word   string
}

// maxLeast bounds the least values that are tried.
const maxLeast = 64

// more lists what could be declared of a size besides what was.
func (f failure) more(b graph.Bounds) (list []saying) {
	if f.positive {
		for k := b.Min + 1; k <= maxLeast && (b.Max == 0 || k <= b.Max); k++ {
			more := b
			more.Min = k
			list = append(list, saying{more, fmt.Sprintf("graph.AtLeast(%d)", k)})
		}
		return list
	}
	for _, k := range f.divisors() {
		more := b
		if more.Multiple = lcm(max(b.Multiple, 1), k); more.Multiple != b.Multiple &&
			(b.Max == 0 || more.Multiple <= b.Max) {
			list = append(list, saying{more, fmt.Sprintf("graph.MultipleOf(%d)", more.Multiple)})
		}
	}
	return list
}

// divisors lists the numbers by which sizes are divided.
func (f failure) divisors() (list []int64) {
	var visit func(d graph.Dim)
	visit = func(d graph.Dim) {
		d.Terms(func(_ int64, factors []graph.Factor) {
			for _, factor := range factors {
				if factor.K > 1 && !slices.Contains(list, factor.K) {
					list = append(list, factor.K)
				}
				if factor.Name == "" {
					visit(factor.P)
				}
			}
		})
	}
	visit(f.left)
	visit(f.right)
	slices.Sort(list)
	return list
}

func lcm(a, b int64) int64 {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}
