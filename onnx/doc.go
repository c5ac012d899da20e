// Package onnx writes models of ONNX.
//
// export.go has the options of an export, and beside.go writes files.
package onnx
