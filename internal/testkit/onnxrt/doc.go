// Package onnxrt runs ONNX models with ONNX Runtime, and with the evaluator of ONNX's own package, for tests that
// compare their results with a program's.
//
// onnxrt.go starts run.py, one process for all models of a test.
package onnxrt
