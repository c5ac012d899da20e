// Package gguf reads GGUF, the format of ggml and llama.cpp: versions 2 and 3, in little-endian order. header.go reads
// metadata, and tensor.go the tensors. format.go has a row for each format of elements; blocks.go decodes blocks of 32
// quantised elements, and superblocks.go those of 256.
//
// Source: docs/gguf.md and src/ggml-quants.c of ggml.
package gguf
