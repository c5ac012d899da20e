package nibbles

import "github.com/broadloom/broadloom/graph"

// Of returns the Uint8 value of whose bytes a value has the two integers of 4 bits, the one in the lower half first: in
// Int8 those from -8 to 7, in Uint8 those from 0 to 15; nil if there is none. Such a value reinterprets numbers of 16
// bits that are computed from bytes: whichever way they are, the result is known from all 256 bytes.
func Of(x *graph.Node) *graph.Node {
	if !x.Op().Reinterprets || x.DType().Size() != 1 || x.In(0).DType() != graph.Uint16 {
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
	words := byteFunction{from: everyNumber()}.of(pairs)
	if words == nil {
		return nil
	}
	sign := 8
	if x.DType().IsUnsigned() {
		sign = 0
	}
	for b, word := range words {
		const low = 15
		lower, upper := uint64((b&low^sign)-sign)&0xff, uint64((b>>4^sign)-sign)&0xff
		if word != lower|upper<<8 {
			return nil
		}
	}
	return from
}
