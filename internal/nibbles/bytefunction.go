package nibbles

import "github.com/broadloom/broadloom/graph"

// everyByte is a number for each byte.
type everyByte = [256]uint64

// byteFunction computes values for each byte that one of them may have.
type byteFunction map[*graph.Node]*everyByte

// of returns a value for each byte; nil if it depends on anything else, or is computed in another way than with
// unsigned integers.
func (f byteFunction) of(x *graph.Node) *everyByte {
	all, known := f[x]
	if !known {
		all = f.computed(x)
		f[x] = all
	}
	return all
}

// everyNumber has each byte for itself.
func everyNumber() *everyByte {
	all := &everyByte{}
	for b := range all {
		all[b] = uint64(b)
	}
	return all
}

// computed is of for a value that is not known yet.
func (f byteFunction) computed(x *graph.Node) *everyByte {
	if !x.DType().IsUnsigned() {
		return nil
	}
	if v, is := x.ScalarValue(); is {
		return alike(v, x.DType())
	}
	if x.Op().Class == graph.Movement && len(x.Operands()) == 1 { // of a number, to which movements change nothing
		if v, is := x.In(0).ScalarValue(); is && x.Op().Assemble == nil {
			return alike(v, x.DType())
		}
	}
	if x.Op().Class != graph.Elementwise || x.Op().Emit == nil {
		return nil
	}
	e := &emitter{}
	in := make([]graph.Value, len(x.Operands()))
	for i, y := range x.Operands() {
		all := f.of(y)
		if all == nil {
			return nil
		}
		in[i] = e.add(y.DType(), all)
	}
	return e.values[x.Op().Emit(e, x, in)]
}

// emitter computes an element for each byte. Values that it cannot compute are nil.
type emitter struct {
	types  []graph.DType
	values []*everyByte
}

func (e *emitter) add(t graph.DType, all *everyByte) graph.Value {
	e.types, e.values = append(e.types, t), append(e.values, all)
	return graph.Value(len(e.values) - 1)
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

// prims are the primitives of two unsigned integers, before the result is cut to its bits.
var prims = map[graph.Prim]func(x, y uint64) uint64{
	graph.PrimAdd: func(x, y uint64) uint64 { return x + y },
	graph.PrimSub: func(x, y uint64) uint64 { return x - y },
	graph.PrimMul: func(x, y uint64) uint64 { return x * y },
	graph.PrimAnd: func(x, y uint64) uint64 { return x & y },
	graph.PrimOr:  func(x, y uint64) uint64 { return x | y },
	graph.PrimXor: func(x, y uint64) uint64 { return x ^ y },
}

// Prim implements graph.Emitter.
func (e *emitter) Prim(p graph.Prim, x ...graph.Value) graph.Value {
	types := make([]graph.DType, len(x))
	for i, v := range x {
		types[i] = e.types[v]
	}
	t, _ := p.Result(types...)
	combine := prims[p]
	if combine == nil || len(x) != 2 || !t.IsUnsigned() || e.values[x[0]] == nil || e.values[x[1]] == nil {
		return e.add(t, nil)
	}
	all := &everyByte{}
	for b := range all {
		all[b] = combine(e.values[x[0]][b], e.values[x[1]][b]) & bitsOf(t)
	}
	return e.add(t, all)
}

// Const implements graph.Emitter.
func (e *emitter) Const(t graph.DType, v float64) graph.Value {
	if !t.IsUnsigned() {
		return e.add(t, nil)
	}
	return e.add(t, alike(v, t))
}

// Convert implements graph.Emitter.
func (e *emitter) Convert(x graph.Value, t graph.DType) graph.Value {
	if e.values[x] == nil || !t.IsUnsigned() {
		return e.add(t, nil)
	}
	all := *e.values[x]
	for b := range all {
		all[b] &= bitsOf(t)
	}
	return e.add(t, &all)
}

// TypeOf implements graph.Emitter.
func (e *emitter) TypeOf(x graph.Value) graph.DType { return e.types[x] }

// Index implements graph.Emitter.
func (e *emitter) Index(int) graph.Value { return e.add(graph.Int64, nil) }

// Size implements graph.Emitter.
func (e *emitter) Size(graph.Dim) graph.Value { return e.add(graph.Int64, nil) }

// Check implements graph.Emitter.
func (e *emitter) Check(graph.Value, graph.Claim) {}
