package onnx_test

import "github.com/broadloom/broadloom/onnx/internal/wire"

// namesOf lists the inputs and the outputs of a model.
func namesOf(data []byte) (inputs, outputs []string) {
	m, err := wire.Decode(data)
	if err != nil {
		panic(err)
	}
	for _, v := range m.Graph.Inputs {
		inputs = append(inputs, v.Name)
	}
	for _, v := range m.Graph.Outputs {
		outputs = append(outputs, v.Name)
	}
	return inputs, outputs
}
