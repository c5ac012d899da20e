// Package onnxnodes runs the node tests of ONNX, each of which has an operator, attributes, operands and results, on the operations of
// package ops. There is no importer of models here: each operator has one line, which says what call it is.
//
// testdata/nodes.py has written the cases, and testdata/nodes.jsonl.gz holds those of few elements. With BROADLOOM_XLA_PYTHON, a Python that has onnx,
// all cases are run. A case of several nodes, such as the one that writes an operator with others, is computed node by node.
//
// case_test.go reads cases and compares results, call_test.go is an operator with its operands, nodes_test.go counts what has run, and left_test.go says
// why something has not. The lines of operators stand in elements_test.go, numbers_test.go, reduce_test.go, move_test.go, index_test.go, window_test.go,
// image_test.go,
// region_test.go, resize_test.go, layer_test.go, recurrent_test.go, attention_test.go and signal_test.go.
package onnxnodes
