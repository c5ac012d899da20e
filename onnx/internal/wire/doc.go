// Package wire reads and writes the messages of ONNX files: protocol buffers, as declared by onnx.proto of ONNX 1.23.
// It knows the fields of the messages, but not the meaning of operators.
//
// [Decode] reads a model, and [DecodeTensor] a tensor in a file of its own. Large values are not copied: they are
// slices of the given bytes, which may be a mapped file. Fields that the structs here do not have are skipped.
// [Model.Encode] writes a model.
//
// The files: model.go has the messages as structs, types.go the element types and the kinds of attributes; decode.go
// goes through the fields of a message, values.go reads their values, messages.go reads each message; encode.go
// writes fields, and written.go each message.
package wire
