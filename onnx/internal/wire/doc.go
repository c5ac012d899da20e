// Package wire reads and writes the messages of ONNX's files: protocol buffers, as onnx.proto of ONNX 1.23 declares them. It knows the
// messages' fields and nothing of what operators mean.
//
// [Decode] reads a model, and [DecodeTensor] a tensor that stands alone. Large values are not copied: they are parts of the bytes that were
// given, which may be a mapped file. What a message has beside the fields of the structs here is skipped. [Model.Encode] writes a model.
//
// The files: model.go has the messages as structs, types.go the element types and the kinds of attributes; decode.go goes through the fields
// of a message, values.go reads their values, messages.go reads each message; encode.go writes fields, and written.go each message.
package wire
