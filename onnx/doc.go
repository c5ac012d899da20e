// Package onnx writes models of ONNX.
//
// export.go has the options of an export, and writes files.
package onnx
