// Package safetensors reads and writes the safetensors format: eight bytes with the length of a header, the header in
// JSON, and the elements of all tensors without gaps (https://github.com/huggingface/safetensors). header.go reads
// and checks the header, read.go reads a file, and write.go writes one.
package safetensors
