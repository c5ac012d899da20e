// Package safetensors reads and writes the format of that name: eight bytes with the
// length of a header, the header in JSON, and the elements of all tensors, with nothing
// between them (https://github.com/huggingface/safetensors). header.go reads and checks the
// header, read.go the file, and write.go writes one.
package safetensors
