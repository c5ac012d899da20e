package onnx_test

import "github.com/broadloom/broadloom/onnx"

// namesOf lists the inputs and the outputs of a model.
func namesOf(data []byte) (inputs, outputs []string) {
	m, err := onnx.Parse(data)
	if err != nil {
		panic(err)
	}
	for _, v := range m.Inputs() {
		inputs = append(inputs, v.Name)
	}
	for _, v := range m.Outputs() {
		outputs = append(outputs, v.Name)
	}
	return inputs, outputs
}
