package main

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the text
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
)

//go:embed genesis.txt.gz
var genesis []byte

// text is a text, encoded as numbers of its characters.
type text struct {
	alphabet []rune // in order
	codes    []int64
}

func readText() (*text, error) {
	unzip, err := gzip.NewReader(bytes.NewReader(genesis))
	if err != nil {
		return nil, fmt.Errorf("genesis.txt.gz: %w", err)
	}
	data, err := io.ReadAll(unzip)
	if err != nil {
		return nil, fmt.Errorf("genesis.txt.gz: %w", err)
	}
	runes := []rune(string(data))
	t := &text{alphabet: slices.Clone(runes)}
	slices.Sort(t.alphabet)
	t.alphabet = slices.Compact(t.alphabet)
	t.codes, err = t.encode(string(data))
	return t, err
}

// encode returns the numbers of a text's characters.
func (t *text) encode(s string) (codes []int64, err error) {
	for _, r := range s {
		code, found := slices.BinarySearch(t.alphabet, r)
		if !found {
			return nil, fmt.Errorf("%q stands nowhere in the text", r)
		}
		codes = append(codes, int64(code))
	}
	return codes, nil
}

// decode is the inverse of encode.
func (t *text) decode(codes []int64) string {
	var s strings.Builder
	for _, code := range codes {
		s.WriteRune(t.alphabet[code])
	}
	return s.String()
}

// split keeps the last tenth of the text for testing.
func (t *text) split() (training, test []int64) {
	at := len(t.codes) * 9 / 10
	return t.codes[:at], t.codes[at:]
}

// pieces returns the given number of pieces of a text from random positions, and the character after
// each of their characters: int64 [batch, length].
func pieces(codes []int64, random *rand.Rand, batch, length int) (piece, next [][]int64) {
	for range batch {
		from := random.IntN(len(codes) - length)
		piece, next = append(piece, codes[from:from+length]), append(next, codes[from+1:from+length+1])
	}
	return piece, next
}
