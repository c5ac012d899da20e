package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/weights"
)

// settings are the sizes of a model.
type settings struct {
	layers, width, inner int
	heads, kvHeads       int
	tokens               int // of the vocabulary
	longest              int // tokens that the model looks back
	base, epsilon        float64
	isTied               bool              // the table of tokens is also the last layer's weight
	held                 map[string]format // of weights, by their layers
}

// String describes the model.
func (s settings) String() string {
	names := map[string]bool{}
	for _, f := range s.held {
		names[f.String()] = true
	}
	held := strings.Join(slices.Sorted(maps.Keys(names)), " and ")
	return fmt.Sprintf("Llama of %d layers, width %d, %d heads, %d tokens, %s", s.layers, s.width, s.heads, s.tokens, held)
}

// isQuantised reports whether some weights are held as integers.
func (s settings) isQuantised() bool {
	for _, f := range s.held {
		if f.bits != 0 {
			return true
		}
	}
	return false
}

// fields reads the metadata of a file, and remembers the first mistake.
type fields struct {
	of  map[string]any
	err error
}

// number reads the number of a key. Without a default, the key must be there.
func number[T int | float64](f *fields, key string, otherwise ...T) T {
	value, is := f.of[key]
	switch v := value.(type) {
	case uint32:
		return T(v)
	case uint64:
		return T(v)
	case int32:
		return T(v)
	case float32:
		return T(v)
	}
	if !is && len(otherwise) > 0 {
		return otherwise[0]
	}
	if f.err == nil {
		f.err = fmt.Errorf("metadata %q must be a number, and is %v", key, value)
	}
	return 1
}

// readSettings reads the sizes of a model that looks back at most so many tokens. It holds weights as int8, int4 or
// float32, or, if none is said, as the file does.
func readSettings(file *weights.File, longest int, held string) (settings, error) {
	f := &fields{of: file.Fields()}
	if kind := f.of["general.architecture"]; kind != "llama" {
		return settings{}, fmt.Errorf("this reads the architecture llama, and the file has %v", kind)
	}
	if kind, is := f.of["llama.rope.scaling.type"]; is && kind != "none" {
		return settings{}, fmt.Errorf("positions scaled by %v are not supported", kind)
	}
	s := settings{
		layers: number[int](f, "llama.block_count"), width: number[int](f, "llama.embedding_length"),
		inner: number[int](f, "llama.feed_forward_length"), heads: number[int](f, "llama.attention.head_count"),
		longest: min(longest, number[int](f, "llama.context_length")),
		base:    number(f, "llama.rope.freq_base", 10_000.0),
		epsilon: number[float64](f, "llama.attention.layer_norm_rms_epsilon"),
	}
	s.kvHeads = number(f, "llama.attention.head_count_kv", s.heads)
	each := s.width / max(s.heads, 1)
	for _, key := range []string{"llama.attention.key_length", "llama.attention.value_length", "llama.rope.dimension_count"} {
		if n := number(f, key, each); n != each && f.err == nil {
			f.err = fmt.Errorf("metadata %q is %d, but only width / heads = %d is supported", key, n, each)
		}
	}
	if f.err != nil {
		return s, f.err
	}
	tensors := file.Tensors()
	if s.layers < 1 || s.layers > len(tensors) {
		return s, fmt.Errorf("the file says that there are %d layers, but has %d tensors", s.layers, len(tensors))
	}
	named := func(name string) int {
		return slices.IndexFunc(tensors, func(t weights.Info) bool { return t.Name == name })
	}
	table := named("token_embd.weight")
	if table < 0 || len(tensors[table].Shape) != 2 {
		return s, fmt.Errorf("the file has no table of tokens, token_embd.weight")
	}
	s.tokens, s.isTied = tensors[table].Shape[0], named("output.weight") < 0
	var err error
	s.held, err = formatsOf(tensors, held)
	return s, err
}
