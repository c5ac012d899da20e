// Package export writes graphs as models of ONNX.
package export
