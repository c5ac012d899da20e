// Package onnxrt runs models of ONNX by ONNX Runtime, and by the evaluator of ONNX's own package, for tests that compare what it computes with what a program does.
//
// onnxrt.go starts run.py, one process for all models of a test.
package onnxrt
