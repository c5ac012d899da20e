package export

import "github.com/broadloom/broadloom/graph"

// elementTwin writes an operation that one operator of ONNX computes; nil for others.
func (e *exporter) elementTwin(n *graph.Node, in []*value) *value { return nil }

// compositeTwin writes an operation, composed of others, that one operator of ONNX computes; nil for others.
func (e *exporter) compositeTwin(n *graph.Node, in []*value) *value { return nil }
