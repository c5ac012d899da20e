package export

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// version returns a value as it is after a write to part of its memory.
func (e *exporter) version(n *graph.Node, old, written *value) *value {
	return e.overwrite(old, written, e.layout(alias.LayoutOf(n.In(1))))
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
	return e.overwrite(before, written, e.layout(alias.LayoutOf(write)))
}

// overwrite stores elements where a view of a dense value shows them.
func (e *exporter) overwrite(old, part *value, l graph.Layout) *value {
	switch {
	case part.isEmpty():
		return old
	case l.IsRowMajor() && l.Shape.NumElements() == old.shape.NumElements():
		return e.reshape(part, old.shape)
	}
	part, l = e.once(part, l)
	places := e.reshape(e.placesWritten(l), graph.Shape{l.Shape.NumElements()})
	flat := e.reshape(old, graph.Shape{old.shape.NumElements()})
	return e.reshape(e.scatter(flat, places, e.reshape(part, places.shape), 0, ""), old.shape)
}

// once takes from a part that is written to repeated places, which all hold the same, one element for each place.
func (e *exporter) once(part *value, l graph.Layout) (*value, graph.Layout) {
	var spans []span
	shape := append(graph.Shape{}, part.shape...)
	for i, stride := range l.Strides {
		if stride == 0 && shape[i] != 1 {
			shape[i] = 1
			spans = append(spans, span{i, 0, 1, 1})
		}
	}
	return e.slice(part, spans...), graph.Layout{Shape: shape, Strides: l.Strides, Offset: l.Offset}
}
