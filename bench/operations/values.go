package main

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
)

// kind says which numbers an operand has.
type kind int

const (
	normal   kind = iota // of both signs; integers from 0 to a bound
	share                // from 0.1 to 0.9
	above                // from 1.1 to 3
	rising               // ascending
	positive             // integers from 1
)

// kindWords are the words for kinds in the table.
var kindWords = map[string]kind{"share": share, "above": above, "rising": rising, "positive": positive}

// fill makes the elements of an operand. Integers are below the bound.
func fill(random *rand.Rand, t graph.DType, count int, k kind, bound int) any {
	list := make([]float64, count)
	if t.IsInt() {
		bound = max(1, min(bound, int(math.Ldexp(1, t.Bits()-1))-1))
	}
	for i := range list {
		switch {
		case t == graph.Bool:
			list[i] = float64(random.IntN(2))
		case t.IsInt() && k == positive:
			list[i] = float64(1 + random.IntN(bound-1))
		case t.IsInt():
			list[i] = float64(random.IntN(bound))
		case k == share:
			list[i] = 0.1 + 0.8*random.Float64()
		case k == above:
			list[i] = 1.1 + 1.9*random.Float64()
		default:
			list[i] = random.NormFloat64()
		}
	}
	if k == rising {
		slices.Sort(list)
	}
	return reference.FromFloats(t, list, count).Data
}

// bytesOf returns elements as the Python program reads them.
func bytesOf(data any) []byte {
	buffer := make([]byte, binary.Size(data))
	if _, err := binary.Encode(buffer, binary.LittleEndian, data); err != nil {
		panic(err) // the buffer has the size of the data
	}
	return buffer
}

// floats returns elements as float64.
func floats(data any) []float64 {
	_, count := graph.DTypeOfSlice(data)
	list := make([]float64, count)
	for i := range list {
		list[i], _ = graph.NumberAt(data, i)
	}
	return list
}
