package wire

import "strconv"

// DataType is the type of a tensor's elements.
type DataType int32

// The types of elements.
const (
	Undefined DataType = iota
	Float
	Uint8
	Int8
	Uint16
	Int16
	Int32
	Int64
	String
	Bool
	Float16
	Double
	Uint32
	Uint64
	Complex64
	Complex128
	BFloat16
	Float8E4M3FN
	Float8E4M3FNUZ
	Float8E5M2
	Float8E5M2FNUZ
	Uint4
	Int4
	Float4E2M1
	Float8E8M0
	Uint2
	Int2
	Float6E2M3
	Float6E3M2
)

var dataTypes = [...]string{
	"undefined", "float", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16", "double",
	"uint32", "uint64",
	"complex64", "complex128", "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4",
	"int4", "float4e2m1",
	"float8e8m0", "uint2", "int2", "float6e2m3", "float6e3m2",
}

// String returns ONNX's name of the type in lower case, or the number of an unknown one.
func (t DataType) String() string {
	if t >= 0 && int(t) < len(dataTypes) {
		return dataTypes[t]
	}
	return "type " + strconv.Itoa(int(t))
}

// AttributeType says which field of an attribute has its value.
type AttributeType int32

// The kinds of attributes.
const (
	AttributeUndefined     AttributeType = 0
	AttributeFloat         AttributeType = 1
	AttributeInt           AttributeType = 2
	AttributeString        AttributeType = 3
	AttributeTensor        AttributeType = 4
	AttributeGraph         AttributeType = 5
	AttributeFloats        AttributeType = 6
	AttributeInts          AttributeType = 7
	AttributeStrings       AttributeType = 8
	AttributeTensors       AttributeType = 9
	AttributeGraphs        AttributeType = 10
	AttributeSparseTensor  AttributeType = 11
	AttributeSparseTensors AttributeType = 12
	AttributeTypeProto     AttributeType = 13
	AttributeTypeProtos    AttributeType = 14
)

var attributeTypes = [...]string{
	"undefined", "float", "int", "string", "tensor", "graph", "floats", "ints", "strings", "tensors", "graphs",
	"sparse_tensor",
	"sparse_tensors", "type_proto", "type_protos",
}

// String returns ONNX's name of the kind in lower case, or the number of an unknown one.
func (t AttributeType) String() string {
	if t >= 0 && int(t) < len(attributeTypes) {
		return attributeTypes[t]
	}
	return "type " + strconv.Itoa(int(t))
}
