package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// The kinds of tokens.
const (
	normalToken  = 1
	unknownToken = 2
	controlToken = 3
	userToken    = 4
	byteToken    = 6
)

// space stands for a space in tokens.
const space = "▁"

// vocabulary turns text to tokens as SentencePiece does for Llama: it joins characters to the pieces with the best
// scores. Source: Kudo and Richardson, SentencePiece, 2018.
type vocabulary struct {
	pieces     []string
	scores     []float32
	kinds      []int32
	ids        map[string]int64 // of pieces that text may contain
	bytes      [256]int64
	begin, end int64
}

func readVocabulary(fields map[string]any) (*vocabulary, error) {
	if kind := fields["tokenizer.ggml.model"]; kind != "llama" {
		return nil, fmt.Errorf("this reads the tokenizer llama (SentencePiece), and the file has %v", kind)
	}
	v := &vocabulary{ids: map[string]int64{}}
	v.pieces, _ = fields["tokenizer.ggml.tokens"].([]string)
	v.scores, _ = fields["tokenizer.ggml.scores"].([]float32)
	v.kinds, _ = fields["tokenizer.ggml.token_type"].([]int32)
	begin, hasBegin := fields["tokenizer.ggml.bos_token_id"].(uint32)
	end, hasEnd := fields["tokenizer.ggml.eos_token_id"].(uint32)
	if !hasBegin || !hasEnd || len(v.pieces) == 0 || len(v.scores) != len(v.pieces) || len(v.kinds) != len(v.pieces) {
		return nil, errors.New("the metadata of the tokenizer are not complete")
	}
	v.begin, v.end = int64(begin), int64(end)
	for id, piece := range v.pieces {
		switch v.kinds[id] {
		case normalToken, userToken:
			v.ids[piece] = int64(id)
		case byteToken:
			var b byte
			if _, err := fmt.Sscanf(piece, "<0x%02X>", &b); err != nil {
				return nil, fmt.Errorf("token %d, %q, is no byte", id, piece)
			}
			v.bytes[b] = int64(id)
		}
	}
	return v, nil
}

// encode turns text to tokens.
func (v *vocabulary) encode(text string) (tokens []int64) {
	if text == "" {
		return nil
	}
	var pieces []string
	for rest := space + strings.ReplaceAll(text, " ", space); rest != ""; {
		_, size := utf8.DecodeRuneInString(rest)
		pieces, rest = append(pieces, rest[:size]), rest[size:]
	}
	for {
		best := -1
		var joined int64
		for i := range len(pieces) - 1 {
			id, is := v.ids[pieces[i]+pieces[i+1]]
			if is && (best < 0 || cmp.Less(v.scores[joined], v.scores[id])) {
				best, joined = i, id
			}
		}
		if best < 0 {
			break
		}
		pieces[best] += pieces[best+1]
		pieces = append(pieces[:best+1], pieces[best+2:]...)
	}
	for _, piece := range pieces {
		if id, is := v.ids[piece]; is {
			tokens = append(tokens, id)
			continue
		}
		for _, b := range []byte(piece) {
			tokens = append(tokens, v.bytes[b])
		}
	}
	return tokens
}

// decode turns tokens to text.
func (v *vocabulary) decode(tokens []int64) string {
	var text []byte
	for _, id := range tokens {
		switch piece := v.pieces[id]; v.kinds[id] {
		case controlToken, unknownToken:
		case byteToken:
			text = append(text, byte(slices.Index(v.bytes[:], id)))
		default:
			text = append(text, strings.ReplaceAll(piece, space, " ")...)
		}
	}
	return strings.TrimPrefix(string(text), " ")
}
