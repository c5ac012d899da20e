package rewrite

import (
	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
)

// nibblesOf returns the Uint8 value of whose bytes a value has the two integers of 4 bits, the one in the lower half
// first, in Int8; nil if there is none. Such a value reinterprets numbers of 16 bits that are computed from bytes:
// whichever way they are, the result is known from all 256 bytes.
func nibblesOf(x *graph.Node) *graph.Node {
	if !x.Op().Reinterprets || x.DType() != graph.Int8 || x.In(0).DType() != graph.Uint16 {
		return nil
	}
	pairs := x.In(0)
	from := pairs
	for from.DType() != graph.Uint8 && from.Op().Class == graph.Elementwise && len(from.Operands()) > 0 {
		from = from.In(0)
	}
	if from.DType() != graph.Uint8 || !from.Shape().Equal(pairs.Shape()) {
		return nil
	}
	words := byteFunction{from: from}.of(pairs)
	if words == nil {
		return nil
	}
	for b, word := range words {
		const sign, low = 8, 15
		lower, upper := uint64((b&low^sign)-sign)&0xff, uint64((b>>4^sign)-sign)&0xff
		if word != lower|upper<<8 {
			return nil
		}
	}
	return from
}

// byteFunction computes values from all bytes that one may have.
type byteFunction struct{ from *graph.Node }

// everyByte is a number for each byte.
type everyByte = [256]uint64

// of returns a value for each byte; nil if it depends on anything else.
func (f byteFunction) of(x *graph.Node) *everyByte {
	switch {
	case x == f.from:
		all := &everyByte{}
		for b := range all {
			all[b] = uint64(b)
		}
		return all
	case analysis.IsExpansion(x):
		return f.of(x.In(0))
	case !x.DType().IsUnsigned():
		return nil
	}
	if v, is := x.ScalarValue(); is {
		return alike(v, x.DType())
	}
	if x.Op().Class != graph.Elementwise || x.Op().Emit == nil {
		return nil
	}
	p := analysis.Examine(x)
	values := make([]*everyByte, len(p.Steps))
	for i, in := range x.Operands() {
		if values[i] = f.of(in); values[i] == nil {
			return nil
		}
	}
	for i := len(x.Operands()); i < len(p.Steps); i++ {
		if values[i] = stepOf(p.Steps[i], values); values[i] == nil {
			return nil
		}
	}
	return values[p.Result]
}

// alike returns a number for all bytes.
func alike(v float64, t graph.DType) *everyByte {
	all := &everyByte{}
	for b := range all {
		all[b] = uint64(int64(v)) & bitsOf(t)
	}
	return all
}

// bitsOf are the bits of numbers of a dtype.
func bitsOf(t graph.DType) uint64 { return ^uint64(0) >> (64 - t.Bits()) }

// stepOf returns the result of a step for each byte; nil if it is not one on unsigned integers.
func stepOf(s analysis.Step, values []*everyByte) *everyByte {
	if !s.DType.IsUnsigned() {
		return nil
	}
	combine := map[graph.Prim]func(x, y uint64) uint64{
		graph.PrimAdd: func(x, y uint64) uint64 { return x + y },
		graph.PrimSub: func(x, y uint64) uint64 { return x - y },
		graph.PrimMul: func(x, y uint64) uint64 { return x * y },
		graph.PrimAnd: func(x, y uint64) uint64 { return x & y },
		graph.PrimOr:  func(x, y uint64) uint64 { return x | y },
		graph.PrimXor: func(x, y uint64) uint64 { return x ^ y },
	}[s.Prim]
	all := &everyByte{}
	for b := range all {
		switch {
		case s.Kind == analysis.NumberStep:
			return alike(s.Number, s.DType)
		case s.Kind == analysis.ConvertStep:
			all[b] = values[s.Args[0]][b]
		case s.Kind == analysis.PrimStep && combine != nil && len(s.Args) == 2:
			all[b] = combine(values[s.Args[0]][b], values[s.Args[1]][b])
		default:
			return nil
		}
		all[b] &= bitsOf(s.DType)
	}
	return all
}
