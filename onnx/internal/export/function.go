package export

import (
	"github.com/broadloom/broadloom/graph"
)

// functions are the operations that are Go functions of whole arrays, which have a form in ONNX.
var functions = map[*graph.Op]func(e *exporter, n *graph.Node, in []*value) *value{}

// function computes a node whose operation is a Go function, which no other engine has.
func (e *exporter) function(n *graph.Node, in []*value) *value {
	form := functions[n.Op()]
	switch {
	case form == nil:
		return e.fail(n, "has no form in ONNX: it is computed by a function of Go. Compute it before or after the exported model, "+
			"and feed it to it")
	case e.typeOf(n).isEmpty():
		return e.expand(e.number(n.DType(), 0), e.typeOf(n).shape)
	}
	wide := make([]*value, len(in))
	for i, x := range in {
		if wide[i] = x; !n.Op().AsStored {
			wide[i] = e.widened(x)
		}
	}
	return e.convert(form(e, n, wide), n.DType())
}
