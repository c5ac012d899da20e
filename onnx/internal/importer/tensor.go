package importer

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/raw"
	"github.com/broadloom/broadloom/onnx/internal/wire"
	"github.com/broadloom/broadloom/ops"
)

// dtypes are those of ONNX that a graph computes in, and their names in files. Integers of fewer than 8 bits become
// such of 8.
var dtypes = map[wire.DataType]struct {
	dtype graph.DType
	file  raw.DType
	bits  int
}{
	wire.Float: {graph.Float32, raw.F32, 32}, wire.Double: {graph.Float64, raw.F64, 64},
	wire.Float16: {graph.Float16, raw.F16, 16}, wire.BFloat16: {graph.BFloat16, raw.BF16, 16},
	wire.Float8E4M3FN: {graph.Float8E4M3FN, raw.F8E4M3, 8}, wire.Float8E5M2: {graph.Float8E5M2, raw.F8E5M2, 8},
	wire.Bool: {graph.Bool, raw.Bool, 8}, wire.Uint8: {graph.Uint8, raw.U8, 8}, wire.Int8: {graph.Int8, raw.I8, 8},
	wire.Uint16: {graph.Uint16, raw.U16, 16}, wire.Int16: {graph.Int16, raw.I16, 16},
	wire.Uint32: {graph.Uint32, raw.U32, 32},
	wire.Int32:  {graph.Int32, raw.I32, 32}, wire.Uint64: {graph.Uint64, raw.U64, 64},
	wire.Int64: {graph.Int64, raw.I64, 64},
	wire.Uint4: {graph.Uint8, raw.U8, 4}, wire.Int4: {graph.Int8, raw.I8, 4}, wire.Uint2: {graph.Uint8, raw.U8, 2},
	wire.Int2: {graph.Int8, raw.I8, 2},
}

// dtypeOf is the dtype of ONNX's number of it.
func dtypeOf(t wire.DataType) graph.DType {
	d, ok := dtypes[t]
	if !ok {
		refuse("elements of dtype %s are not supported", t)
	}
	return d.dtype
}

// ofTensor is a tensor of the file. Floating-point tensors that are operands become parameters, where they have a name
// of the whole model and an axis: an optimiser may train them. Others are constants.
func (b *builder) ofTensor(t *wire.Tensor, mayBeParam bool) *value {
	n, err := elementCount(t.Dims)
	v := &value{count: n, bits: narrowBits(t.Type), elements: func() (exec.Array, error) {
		if err != nil {
			return exec.Array{}, err
		}
		return Elements(t, b.External)
	}}
	v.make = func() node {
		dtype := dtypeOf(t.Type)
		if !mayBeParam || !dtype.IsFloat() || len(t.Dims) == 0 || err != nil {
			a, _ := b.arrayOf(v)
			return graph.ConstantOf(b.g, a.Data, graph.MakeShape(a.Shape...)...)
		}
		shape := make([]graph.Dim, len(t.Dims))
		for i, n := range t.Dims {
			shape[i] = graph.Dim(n)
		}
		path, name := "", t.Name
		if at := strings.LastIndex(name, graph.ScopeSeparator); at > 0 && at < len(name)-1 {
			// as PyTorch writes that of a module
			path, name = name[:at], name[at+1:]
		}
		var p node
		b.g.InScope(below(b.root, path), func() {
			if v.isState {
				p = b.g.State(name, dtype, nil, shape...)
			} else {
				p = b.g.Param(name, dtype, shape...)
			}
		})
		b.params = append(b.params, Param{Named{t.Name, p}, v.elements})
		return p
	}
	return v
}

// narrowBits are the bits of an integer type of fewer than 8, and else 0.
func narrowBits(t wire.DataType) int {
	if d := dtypes[t]; d.bits < 8 {
		return d.bits
	}
	return 0
}

// narrowed keeps the lowest bits of integers, as a conversion to fewer bits does.
func narrowed(x node, bits int) node {
	wide := ops.Cast(x, graph.Int32)
	low := ops.BitAnd(wide, whole(1<<bits-1))
	if x.DType().IsUnsigned() {
		return ops.Cast(low, x.DType())
	}
	half := whole(1 << (bits - 1))
	return ops.Cast(ops.Sub(ops.BitXor(low, half), half), x.DType())
}

// saturated brings integers into the range of fewer bits.
func saturated(x node, bits int) node {
	if x.DType().IsUnsigned() {
		return ops.Clamp(x, 0, float64(int(1)<<bits-1))
	}
	return ops.Clamp(x, -float64(int(1)<<(bits-1)), float64(int(1)<<(bits-1)-1))
}

// array are the elements of a tensor of the file.
func (b *builder) array(t *wire.Tensor) exec.Array {
	a, err := Elements(t, b.External)
	if err != nil {
		refuse("%v", err)
	}
	return a
}

func elementCount(dims []int64) (int, error) {
	n := int64(1)
	for _, d := range dims {
		if d < 0 || d > 0 && n > math.MaxInt32*64/d {
			return 0, fmt.Errorf("%v is not a valid shape", dims)
		}
		n *= d
	}
	if n > math.MaxInt {
		return 0, fmt.Errorf("%v is not a valid shape", dims)
	}
	return int(n), nil
}

// Elements converts a tensor of a file to a Go slice. external returns the bytes of a tensor that is stored in
// another file.
func Elements(t *wire.Tensor, external func(*wire.Tensor) ([]byte, error)) (exec.Array, error) {
	fail := func(err error) (exec.Array, error) { return exec.Array{}, fmt.Errorf("tensor %q: %w", t.Name, err) }
	d, ok := dtypes[t.Type]
	if !ok {
		return fail(fmt.Errorf("elements of dtype %s are not supported", t.Type))
	}
	n, err := elementCount(t.Dims)
	if err != nil {
		return fail(err)
	}
	shape := make([]int, len(t.Dims))
	for i, v := range t.Dims {
		shape[i] = int(v)
	}
	data := t.Raw
	switch {
	case t.IsExternal && external == nil:
		return fail(fmt.Errorf("its elements are in another file, which is not accessible"))
	case t.IsExternal:
		if data, err = external(t); err != nil {
			return fail(err)
		}
	case !t.HasRaw:
		data = packed(t, d.bits)
	}
	if want := (n*d.bits + 7) / 8; len(data) != want {
		return fail(fmt.Errorf("%d bytes, and shape %v of %s has %d", len(data), t.Dims, t.Type, want))
	}
	if d.bits < 8 {
		data = unpacked(data, n, d.bits, d.dtype == graph.Int8)
	}
	elements, err := raw.Decode(d.file, binary.LittleEndian, data)
	if err != nil {
		return fail(err)
	}
	return exec.Array{Shape: shape, Data: elements}, nil
}

// packed are the bytes of elements that are written as numbers.
func packed(t *wire.Tensor, bits int) (data []byte) {
	put := func(v uint64, bytes int) {
		for range bytes {
			data = append(data, byte(v))
			v >>= 8
		}
	}
	bytes := max(bits/8, 1)
	for _, v := range t.Floats {
		put(uint64(math.Float32bits(v)), 4)
	}
	for _, v := range t.Doubles {
		put(math.Float64bits(v), 8)
	}
	for _, v := range t.Int32s {
		put(uint64(v), bytes)
	}
	for _, v := range t.Int64s {
		put(uint64(v), bytes)
	}
	for _, v := range t.Uint64s {
		put(v, bytes)
	}
	return data
}

// unpacked gives each integer of fewer than 8 bits a byte. The first lies in the lowest bits.
func unpacked(data []byte, n, bits int, signed bool) []byte {
	out := make([]byte, n)
	for i := range out {
		v := data[i*bits/8] >> (i * bits % 8) << (8 - bits)
		if signed {
			out[i] = byte(int8(v) >> (8 - bits))
		} else {
			out[i] = v >> (8 - bits)
		}
	}
	return out
}

// dense writes out a tensor of which only some elements are in the file.
func dense(b *builder, t *wire.SparseTensor) exec.Array {
	if t.Values == nil || t.Indices == nil {
		refuse("a sparse tensor has no values or indices")
	}
	values, index := b.array(t.Values), b.array(t.Indices)
	n, err := elementCount(t.Dims)
	at, ok := index.Data.([]int64)
	if err != nil || n > 1<<28 || !ok {
		refuse("%v is not a valid shape of a sparse tensor", t.Dims)
	}
	dtype, given := graph.DTypeOfSlice(values.Data)
	data := dtype.MakeSlice(n)
	shape := make([]int, len(t.Dims))
	for i, d := range t.Dims {
		shape[i] = int(d)
	}
	for i := range given {
		to := at
		if len(index.Shape) == 2 {
			row := make([]int, len(shape))
			for k := range row {
				row[k] = wrapped(int(at[i*len(shape)+k]), shape[k])
			}
			to = []int64{int64(place(row, shape))}
		} else {
			to = at[i : i+1]
		}
		v, whole := graph.NumberAt(values.Data, i)
		graph.SetNumberAt(data, wrapped(int(to[0]), n), v, whole)
	}
	return exec.Array{Shape: shape, Data: data}
}
