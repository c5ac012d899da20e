package ops

import (
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// This file has the options that say what becomes of an index outside of its axis. Without one, it stops the run.

// outsideMode is what becomes of an index out of range. The text of a graph shows it.
type outsideMode string

const (
	stopOutside outsideMode = ""
	fillOutside outsideMode = "fill"
	dropOutside outsideMode = "drop"
	clipOutside outsideMode = "clip"
	wrapOutside outsideMode = "wrap"
)

// What the reference says of an index out of range.
const (
	readOutside  = "; an index out of range stops the run, unless FillOutside, ClipOutside or WrapOutside is given"
	writeOutside = "; an index out of range stops the run, unless DropOutside, ClipOutside or WrapOutside is given"
)

// GatherOption is an option of functions that read elements by index: [Take], [IndexSelect], [Gather],
// [TakeAlongAxis], [IndexGet], [GatherND] and [TakeFlat].
type GatherOption interface{ gather(*gathering) }

// WriteOption is an option of functions that write elements by index: [Scatter], [ScatterAdd], [IndexCopy],
// [IndexAdd], [IndexFill], [ScatterND] and [SegmentSum] with its relatives. [ScatterReduce], [IndexReduce],
// [ScatterNDReduce], [IndexPut] and [PutFlat] take it too.
type WriteOption interface {
	ScatterOption
	IndexPutOption
	write(*outsideMode)
}

// OutsideOption is an option of functions that read or write elements by index.
type OutsideOption interface {
	GatherOption
	WriteOption
}

func (m outsideMode) gather(r *gathering)       { r.mode = m }
func (m outsideMode) write(to *outsideMode)     { *to = m }
func (m outsideMode) scatter(a *ScatterAttrs)   { a.Outside = m }
func (m outsideMode) indexPut(a *IndexPutAttrs) { a.Outside = m }
func (f fillOption) gather(r *gathering)        { r.mode, r.fill = fillOutside, f.with }

// DropsOutside reports whether an axis may be empty although there are indices.
func (m outsideMode) DropsOutside() bool { return m == dropOutside }

// written adds the option, as the user wrote it, to the arguments of a call.
func (m outsideMode) written(list []string) []string {
	if m == stopOutside {
		return list
	}
	return append(list, "ops."+strings.ToUpper(string(m[:1]))+string(m[1:])+"Outside()")
}

// fillOption is the option of [FillOutside].
type fillOption struct{ with node }

// FillOutside gives a number or a scalar for each index out of range, instead of stopping the run: mode="fill" of
// jax.numpy.take. A negative index counts from the end first. No gradient flows from there to what is read.
func FillOutside(fill *graph.Node) GatherOption { return fillOption{fill} }

// DropOutside leaves out what an index out of range would write, instead of stopping the run: mode="drop" of
// jax.numpy.ndarray.at. A negative index counts from the end first; only [SegmentSum] and its relatives leave it out,
// as jax.ops.segment_sum does. No gradient flows to what is left out.
func DropOutside() WriteOption { return dropOutside }

// ClipOutside replaces an index out of range by the nearest one inside, instead of stopping the run: mode="clip" of
// jax.numpy. A negative index counts from the end first; only [Take], [IndexSelect], [TakeFlat], and [SegmentSum] and
// its relatives replace it by 0, as jax.numpy.take and jax.ops.segment_sum do.
func ClipOutside() OutsideOption { return clipOutside }

// WrapOutside adds the size of the axis to an index out of range, or subtracts it, until it is inside, instead of
// stopping the run: mode="wrap" of jax.numpy.take.
func WrapOutside() OutsideOption { return wrapOutside }

// settled returns the places that indices name along an axis of a size, and which of them are inside: nil where all
// are, unless the axis is empty. A negative index may count from the end.
func (m outsideMode) settled(index node, size graph.Dim, fromEnd bool) (at, inside node) {
	n := Size(index.Graph(), graph.Int64, size)
	at = Cast(index, graph.Int64)
	if m == wrapOutside {
		return Remainder(at, Maximum(n, num64(1))), nil
	}
	if fromEnd {
		at = Where(Less(at, num64(0)), Add(at, n), at)
	}
	if m == clipOutside {
		return Maximum(Minimum(at, Sub(n, num64(1))), num64(0)), nil
	}
	return at, And(GreaterEqual(at, num64(0)), Less(at, n))
}

// place is settled, or the index itself after a check, where one outside stops the run. It may count from the end.
func (m outsideMode) place(index node, size graph.Dim, fromEnd bool) (at, inside node) {
	if m == stopOutside {
		return Apply(opCheckIndex, indexAttrs{size, fromEnd}, index), nil
	}
	at, inside = m.settled(index, size, true)
	if m == dropOutside {
		return at, inside
	}
	return Apply(opCheckIndex, indexAttrs{Size: size}, at), inside // the axis may be empty
}

// writingOf is what options of a write say of an index out of range.
func writingOf(opts []WriteOption) (m outsideMode) {
	for _, o := range opts {
		if o != nil {
			o.write(&m)
		}
	}
	return m
}

// behind adds the option to the arguments of a call.
func (m outsideMode) behind(args ...any) []any {
	for _, word := range m.written(nil) {
		args = append(args, word)
	}
	return args
}

// both is where both are true; nil is true everywhere.
func both(a, b node) node {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return And(a, b)
}

// gathering is how elements are read by index.
type gathering struct {
	mode outsideMode
	fill node
}

func gatheringOf(opts []GatherOption) (r gathering) {
	for _, o := range opts {
		if o != nil {
			o.gather(&r)
		}
	}
	return r
}

// take is read along one axis.
func (r gathering) take(fn string, x node, axis int, index node, get func(x node, index []node) node) node {
	if r.mode == stopOutside {
		return get(x, []node{index})
	}
	defer building(fn, r.behind(x, axis, index)...)()
	return r.read(x, []int{axis}, []node{r.notBelow(x, index)}, axis, get)
}

// notBelow replaces a negative index by 0, where the nearest one inside is read.
func (r gathering) notBelow(x, index node) node {
	if r.mode == clipOutside && canIndex(x, nil, []node{index}) {
		return Maximum(index, num64(0))
	}
	return index
}

// behind adds the option to the arguments of a call.
func (r gathering) behind(args ...any) []any {
	if r.mode == fillOutside {
		return append(args, optional{"ops.FillOutside", r.fill})
	}
	return r.mode.behind(args...)
}

// read is what get reads of x by indices, one for each of the axes, none of which stops the run. first is where the
// axes of the indices begin in the result.
func (r gathering) read(x node, axes []int, index []node, first int, get func(x node, index []node) node) node {
	if !canIndex(x, axes, index) || r.mode == fillOutside && (r.fill == nil || !r.fill.Judged()) {
		return get(x, index) // its own mistake
	}
	axes, first = countedFromZero(axes, x.Rank()), countedFromZero([]int{first}, x.Rank())[0]
	at, inside := make([]node, len(index)), node(nil)
	for i, axis := range axes {
		settled, isInside := r.mode.settled(index[i], sizeAlong(x, axis), true)
		at[i], inside = Cast(settled, index[i].DType()), both(inside, isInside)
	}
	if r.mode != fillOutside {
		return get(x, at)
	}
	fill := x.Graph().Convert(r.fill, x.DType())
	call := refused("FillOutside", x, r.fill)
	if fill.Rank() > 0 {
		return call.wrong(graph.CodeRank, "the fill must be a number or a scalar")
	}
	if a, is := fill.Outside(); is {
		return refusal(call, outsideOf(x.DType(), a.String()))
	}
	if hasElements(x, axes) {
		for i := range at {
			at[i] = Where(inside, at[i], num64(0))
		}
		y := get(x, at)
		if !y.Judged() || y.Err() != nil {
			return y
		}
		if y.Rank() == 0 { // of a scalar, by a vector of one index
			inside = Reshape(inside)
		}
		for range y.Rank() - first - inside.Rank() {
			inside = Unsqueeze(inside, -1)
		}
		return Where(inside, y, fill)
	}
	for i, axis := range axes { // one element more is that of all indices out of range
		end := x.Shape()[axis]
		at[i] = Where(inside, at[i], Cast(Size(x.Graph(), graph.Int64, end), at[i].DType()))
		row := slices.Clone(x.Shape())
		row[axis] = 1
		x = Concat(axis, x, Expand(fill, row...))
	}
	return get(x, at)
}

// canIndex reports whether axes of x can be indexed: otherwise there is a mistake.
func canIndex(x node, axes []int, index []node) bool {
	if x == nil || !x.Judged() {
		return false
	}
	for _, i := range index {
		if i == nil || !i.Judged() || !i.DType().IsIndex() {
			return false
		}
	}
	for _, axis := range axes {
		if rank := max(x.Rank(), 1); axis < -rank || axis >= rank {
			return false
		}
	}
	return true
}

// sizeAlong is the size of an axis. A scalar counts as a vector of one element.
func sizeAlong(x node, axis int) graph.Dim {
	if x.Rank() == 0 {
		return 1
	}
	return x.Shape()[axis]
}

// hasElements reports whether each of the axes is known to have elements.
func hasElements(x node, axes []int) bool {
	p := prove.NewProver(x.Graph().Bounds)
	for _, axis := range axes {
		if p.AtLeast(sizeAlong(x, axis), 1) != prove.Proved {
			return false
		}
	}
	return true
}
