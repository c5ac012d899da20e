package stablehlo

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// version returns a value as it is after a write to part of its memory.
func (e *exporter) version(n *graph.Node, old, written *value) *value {
	return e.overwrite(old, written, e.strided(alias.LayoutOf(n.In(1))))
}

// memory returns all of a memory after its last write.
func (e *exporter) memory(write *graph.Node) *value {
	written := e.Value(write)
	if len(alias.ViewsOf(write)) == 0 {
		return written
	}
	old := alias.Viewed(write.In(0))
	before := e.Value(old)
	if old.Op().Class == graph.Update { // else it is the whole
		before = e.memory(old)
	}
	return e.overwrite(before, written, e.strided(alias.LayoutOf(write)))
}

// overwrite stores elements at the places of a view of a dense value.
func (e *exporter) overwrite(old, part *value, s strided) *value {
	if part.count() == 0 {
		return old
	}
	part, s = e.once(part, s)
	b, ok := s.boxIn(old.shape)
	if !ok {
		flat := e.scatter(e.reshape(old, []int{old.count()}), e.places(s), part, 0, "")
		return e.reshape(flat, old.shape)
	}
	order := b.order()
	sizes, back := make([]int, len(order)), make([]int, len(order))
	for i, axis := range order {
		sizes[i], back[axis] = b.axes[axis].size, i
	}
	part = e.reverse(e.transpose(e.reshape(part, sizes), back), b.reversed)
	base := e.reshape(old, b.shape)
	if slices.Equal(part.shape, base.shape) {
		return e.reshape(part, old.shape)
	}
	place := placed{part, b.start, b.step}
	if !slices.ContainsFunc(b.step, func(step int) bool { return step != 1 }) {
		return e.reshape(e.insert(base, place), old.shape)
	}
	inside := e.put(placed{e.splat(part.of(graph.Bool), 1), b.start, b.step}, b.shape,
		e.splat(tensor{dtype: graph.Bool}, 0))
	return e.reshape(e.choose(inside, e.put(place, b.shape, e.splat(tensor{dtype: old.dtype}, 0)), base), old.shape)
}

// insert stores a part with contiguous elements.
func (e *exporter) insert(base *value, p placed) *value {
	in := []*value{base, p.x}
	for _, start := range p.start {
		in = append(in, e.whole(tensor{dtype: graph.Int64}, int64(start)))
	}
	return e.apply("stablehlo.dynamic_update_slice", base.tensor, nil, in...)
}

// once takes from a part that is written to repeated places, which all hold the same, one element for each place.
func (e *exporter) once(part *value, s strided) (*value, strided) {
	limit, step := slices.Clone(part.shape), slices.Repeat([]int{1}, len(part.shape))
	for i, stride := range s.strides {
		if stride == 0 && limit[i] > 1 {
			limit[i] = 1
		}
	}
	part = e.slice(part, make([]int, len(limit)), limit, step)
	return part, strided{part.shape, s.strides, s.offset}
}
