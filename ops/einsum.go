package ops

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// labelled is a value whose axes have labels: letters, and negative numbers for the axes
// of an ellipsis, counted from the last one.
type labelled struct {
	x      node
	labels []rune
}

// Einsum returns the sum of products that an equation in Einstein notation describes. Each letter names an axis of an
// operand. Axes with the same letter are multiplied element by element, and letters that are missing after the arrow
// are summed over. "ij,jk->ik" is the matrix product, "ii->" the trace, and "...i,...i->..." the inner product along
// the last axis. Axes of an ellipsis broadcast, and so do axes of one letter if one of them has the number 1 as its
// size (named sizes that are summed over must be equal). Without an arrow, the result has the letters that occur
// once, in alphabetical order. Products are computed from left to right, as matrix products if something is summed.
func Einsum(equation string, xs ...*graph.Node) *graph.Node {
	call := refusedCall{fn: "Einsum", in: xs, args: refusedArgs{Before: []any{strconv.Quote(equation)}}}
	defer graph.BeginCall(call.fn, call.args, xs...)()
	if len(xs) == 0 || slices.ContainsFunc(xs, func(x node) bool { return x == nil || !x.Judged() }) {
		return refusal(call, nil) // its own mistake
	}
	operands, output, problem := parseEinsum(equation, xs)
	if problem != "" {
		return refusal(call, &graph.Mistake{Code: graph.CodeMatMul, Summary: "einsum(): " + problem})
	}
	if at := slices.IndexFunc(xs, func(x node) bool { return x.Graph() != nil }); at >= 0 {
		// else there are numbers alone
		if m := subscriptClash(xs[at].Graph(), operands); m != nil {
			return refusal(call, m)
		}
	}
	total := operands[0]
	for i, y := range operands[1:] {
		if !total.x.Judged() {
			return total.x
		}
		wanted := slices.Clone(output)
		for _, later := range operands[i+2:] {
			wanted = append(wanted, later.labels...)
		}
		total = total.times(y, wanted)
	}
	if !total.x.Judged() {
		return total.x
	}
	return total.sumOthers(output).arranged(output)
}

// subscriptClash returns the mistake of a letter with two sizes that are never equal, or are not known to be equal.
func subscriptClash(g *graph.Graph, operands []labelled) *graph.Mistake {
	r := rules.Rules{Names: g.Policy().Names, Bounds: g.Bounds}
	type use struct {
		size    graph.Dim
		operand int
	}
	first := map[rune]use{}
	for i, a := range operands {
		if !a.x.Judged() {
			return nil
		}
		for axis, l := range a.labels {
			d, was := a.x.Shape()[axis], first[l]
			if _, seen := first[l]; !seen {
				first[l] = use{d, i}
				continue
			}
			clashes := r.BroadcastShapes(graph.Shape{was.size}, graph.Shape{d}).Clashes
			if l < 0 || len(clashes) == 0 {
				continue
			}
			m := &graph.Mistake{Code: graph.CodeMatMul, Sizes: append(was.size.Symbols(), d.Symbols()...),
				Summary: fmt.Sprintf("einsum(): subscript %s is %s in operand %d and %s in operand %d", labelText(l),
					rules.QuoteName(was.size), was.operand, rules.QuoteName(d), i)}
			if clashes[0].Names {
				m.Code = graph.CodeNames
				m.Summary += ", and nothing says that they are equal"
			}
			return m
		}
	}
	return nil
}

// times multiplies two values and sums over the labels that are not wanted any more.
func (a labelled) times(b labelled, wanted []rune) labelled {
	a, b = a.sumOthers(append(slices.Clone(wanted), b.labels...)),
		b.sumOthers(append(slices.Clone(wanted), a.labels...))
	var batch, left, right, summed []rune
	for _, l := range a.labels {
		switch inB := slices.Contains(b.labels, l); {
		case !inB:
			left = append(left, l)
		case slices.Contains(wanted, l):
			batch = append(batch, l)
		default:
			summed = append(summed, l)
		}
	}
	for _, l := range b.labels {
		if !slices.Contains(a.labels, l) {
			right = append(right, l)
		}
	}
	if others := a.apart(left, batch, wanted); others != nil && len(summed) > 0 {
		batch = append(batch, others...)
		left = slices.DeleteFunc(left, func(l rune) bool { return slices.Contains(others, l) })
	}
	all := slices.Concat(batch, left, right)
	if len(summed) == 0 {
		return labelled{Mul(a.arranged(all), b.arranged(all)).Silence(graph.CodeMutualExpand), all}
	}
	x, y := a.arranged(slices.Concat(batch, left, summed)), b.arranged(slices.Concat(batch, summed, right))
	shape := slices.Concat(x.Shape()[:len(batch)+len(left)], y.Shape()[len(batch)+len(summed):])
	product := MatMul(merged(x, len(batch), len(left)), merged(y, len(batch), len(summed)))
	if !product.Judged() {
		return labelled{product, all}
	}
	copy(shape, product.Shape()[:len(batch)])
	return labelled{Reshape(product, shape...), all}
}

// fewestRows is the rows from which on products of one matrix are worth as much apart.
const fewestRows = 64

// apart returns the labels, of several that count the rows of a product, that rather count products: all but the one of
// most rows, as heads of queries do that share keys. So scores have the axes that the program gives them, and not one
// of heads and places. It is nil where the rows are few, or where a matrix meets all that there is, as weights do.
func (a labelled) apart(rows, batch, wanted []rune) (others []rune) {
	if len(rows) < 2 || !a.x.Judged() {
		return nil
	}
	place := func(l rune) int { return slices.Index(wanted, l) }
	if len(batch) == 0 && slices.IsSortedFunc(rows, func(k, l rune) int { return place(k) - place(l) }) {
		return nil
	}
	size := func(l rune) int {
		if n, known := a.x.Shape()[slices.Index(a.labels, l)].Int(); known {
			return int(n)
		}
		return math.MaxInt
	}
	most := slices.MaxFunc(rows, func(k, l rune) int {
		return cmp.Or(cmp.Compare(size(k), size(l)), place(k)-place(l))
	})
	if size(most) < fewestRows {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(rows), func(l rune) bool { return l == most })
}

// merged returns batches of matrices, whose rows are the next axes after the batch's and
// whose columns are the rest.
func merged(x node, batch, rows int) node {
	s := x.Shape()
	return Reshape(x, append(slices.Clone(s[:batch]), s[batch:batch+rows].NumElements(),
		s[batch+rows:].NumElements())...)
}

// sumOthers sums over the labels that are not wanted.
func (a labelled) sumOthers(wanted []rune) labelled {
	var axes []Axis
	var rest []rune
	for i, l := range a.labels {
		if slices.Contains(wanted, l) {
			rest = append(rest, l)
		} else {
			axes = append(axes, Axis(i))
		}
	}
	if len(axes) == 0 {
		return a
	}
	return labelled{Sum(a.x, axes...), rest}
}

// arranged puts the axes into the order of the labels, with axes of size 1 for those that
// it does not have.
func (a labelled) arranged(labels []rune) node {
	var perm, missing []int
	for i, l := range labels {
		if at := slices.Index(a.labels, l); at >= 0 {
			perm = append(perm, at)
		} else {
			missing = append(missing, i)
		}
	}
	x := a.x
	if !slices.IsSorted(perm) {
		x = Permute(x, perm...)
	}
	for _, axis := range missing {
		x = Unsqueeze(x, axis)
	}
	return x
}

// parseEinsum reads an equation for its operands; problem says what is wrong with it.
func parseEinsum(equation string, xs []node) (operands []labelled, output []rune, problem string) {
	equation = strings.ReplaceAll(equation, " ", "")
	inputs, result, arrow := strings.Cut(equation, "->")
	terms := strings.Split(inputs, ",")
	switch {
	case len(xs) == 0:
		return nil, nil, "must provide at least one operand"
	case len(xs) < len(terms):
		return nil, nil, "fewer operands were provided than specified in the equation"
	case len(xs) > len(terms):
		return nil, nil, "more operands were provided than specified in the equation"
	}
	seen := subscripts{sizes: map[rune]graph.Dim{}, counts: map[rune]int{}}
	for i, term := range terms {
		a := labelled{x: xs[i]}
		if a.labels, problem = labelsOf(term, xs[i].Rank(), fmt.Sprintf("operand %d", i)); problem != "" {
			return nil, nil, problem
		}
		if problem = seen.add(a, i); problem != "" {
			return nil, nil, problem
		}
		operands = append(operands, a)
	}
	for i, a := range operands {
		operands[i] = a.distinct(seen.sizes)
	}
	if !arrow {
		return operands, implicitOutput(seen.counts), ""
	}
	if output, problem = seen.output(result); problem != "" {
		return nil, nil, problem
	}
	return operands, output, ""
}

// subscripts is the labels of the operands that have been read.
type subscripts struct {
	sizes  map[rune]graph.Dim // that operands have there: another one than 1, if some has
	counts map[rune]int       // of axes
}

// add reads the labels of operand i; problem says which size fits none of those before.
func (s subscripts) add(a labelled, i int) (problem string) {
	for axis, l := range a.labels {
		s.counts[l]++
		d, seen := a.x.Shape()[axis], s.sizes[l]
		if before := slices.Index(a.labels, l); before < axis {
			if other := a.x.Shape()[before]; other.IsConst() && d.IsConst() && d != other {
				return fmt.Sprintf("subscript %s is repeated for operand %d but the sizes don't match, %s != %s",
					labelText(l), i, d, other)
			}
		}
		if seen > 1 && seen.IsConst() && d > 1 && d.IsConst() && d != seen {
			if l < 0 {
				return fmt.Sprintf(
					"dimension %d covered by ellipsis in operand %dhas size %s which does not broadcast with previously seen ellipsis with size %s for the respective dimension",
					axis-slices.IndexFunc(a.labels, func(l rune) bool { return l < 0 }), i, d, seen)
			}
			return fmt.Sprintf(
				"subscript %s has size %s for operand %d which does not broadcast with previously seen size %s",
				labelText(l), d, i, seen)
		}
		if _, known := s.sizes[l]; !known || seen == 1 {
			s.sizes[l] = d
		}
	}
	return ""
}

// output reads the labels of the result.
func (s subscripts) output(result string) (output []rune, problem string) {
	ellipsis := 0
	for l := range s.counts {
		ellipsis = max(ellipsis, -int(l))
	}
	letters := len(strings.Replace(result, "...", "", 1))
	rank := letters
	if letters != len(result) {
		rank += ellipsis
	}
	if output, problem = labelsOf(result, rank, "the output"); problem != "" {
		return nil, problem
	}
	for i, l := range output {
		switch {
		case s.counts[l] == 0:
			return nil, fmt.Sprintf("output subscript %s does not appear in the equation for any input operand",
				labelText(l))
		case slices.Contains(output[:i], l):
			return nil, fmt.Sprintf("output subscript %s appears more than once in the output", labelText(l))
		}
	}
	return output, ""
}

// distinct takes the diagonal of axes with one label, and drops axes of size 1 that other
// operands repeat.
func (a labelled) distinct(sizes map[rune]graph.Dim) labelled {
	for i := 0; i < len(a.labels); i++ {
		l := a.labels[i]
		if j := i + 1 + slices.Index(a.labels[i+1:], l); j > i {
			a.x = Apply(opDiagonal, DiagonalAttrs{A: i, B: j, Square: true}, a.x)
			a.labels = append(slices.Delete(slices.Delete(slices.Clone(a.labels), j, j+1), i, i+1), l)
			i = -1
			continue
		}
		if a.x.Judged() && a.x.Shape()[i] == 1 && sizes[l] != 1 {
			a.x = Squeeze(a.x, i)
			a.labels = slices.Delete(slices.Clone(a.labels), i, i+1)
			i--
		}
	}
	return a
}

// implicitOutput lists the axes of the ellipsis and the letters that stand once.
func implicitOutput(counts map[rune]int) []rune {
	var list []rune
	for l, n := range counts {
		if l < 0 || n == 1 {
			list = append(list, l)
		}
	}
	slices.Sort(list)
	return list
}

func labelText(l rune) string {
	if l < 0 {
		return "..."
	}
	return string(l)
}

// labelsOf returns the labels of a term's axes; an ellipsis has as many axes as the letters leave.
func labelsOf(term string, rank int, of string) (labels []rune, problem string) {
	before, behind, ellipsis := strings.Cut(term, "...")
	letters := before + behind
	for _, l := range letters {
		switch {
		case l == '.':
			if ellipsis && !strings.Contains(before, ".") {
				return nil, fmt.Sprintf("found '.' for %s for which an ellipsis was already found", of)
			}
			return nil, fmt.Sprintf("found '.' for %s that is not part of any ellipsis", of)
		case !(l >= 'a' && l <= 'z' || l >= 'A' && l <= 'Z'):
			return nil, fmt.Sprintf("invalid subscript %q for %s, subscripts must be in [a-zA-Z]", l, of)
		}
	}
	switch {
	case !ellipsis && len(letters) != rank:
		return nil, fmt.Sprintf(
			"the number of subscripts in the equation (%d) does not match the number of dimensions (%d) for %s and no ellipsis was given",
			len(letters), rank, of)
	case len(letters) > rank:
		return nil, fmt.Sprintf(
			"the number of subscripts in the equation (%d) is more than the number of dimensions (%d) for %s",
			len(letters), rank, of)
	}
	labels = []rune(before)
	for k := rank - len(letters); k > 0; k-- {
		labels = append(labels, rune(-k))
	}
	return append(labels, []rune(behind)...), ""
}

func init() {
	composed("Einsum", "sums of products of elements, by the letters of axes.",
		named("numpy.einsum", "torch.einsum", "jax.numpy.einsum", "Einsum", "",
			func(e *graph.Example) node { return Einsum("nk,km->nm", e.Of("x", "n", "k"), e.Of("y", "k", "m")) }))
}
