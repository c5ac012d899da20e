package onnx_test

import "github.com/broadloom/broadloom/onnx/internal/wire"

// inputsOf lists the inputs of a model.
func inputsOf(data []byte) (names []string) {
	m, err := wire.Decode(data)
	if err != nil {
		panic(err)
	}
	for _, v := range m.Graph.Inputs {
		names = append(names, v.Name)
	}
	return names
}
