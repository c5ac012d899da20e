package wire

// Model is a ModelProto.
type Model struct {
	IRVersion                              int64
	Producer, ProducerVersion, Domain, Doc string
	Version                                int64
	Graph                                  *Graph
	Opsets                                 []Opset
	Metadata                               []Pair
	Functions                              []*Function
}

// Opset is a set of operators that a model uses, an OperatorSetIdProto.
type Opset struct {
	Domain  string
	Version int64
}

// Pair is a StringStringEntryProto.
type Pair struct{ Key, Value string }

// Graph is a GraphProto.
type Graph struct {
	Name, Doc               string
	Nodes                   []*Node
	Initializers            []*Tensor
	Sparse                  []*SparseTensor // initialisers, too
	Inputs, Outputs, Values []*ValueInfo
}

// Node is a NodeProto.
type Node struct {
	Name, Op, Domain, Overload, Doc string
	Inputs, Outputs                 []string
	Attributes                      []*Attribute
}

// Attribute is an AttributeProto. Its value is in the field for Type, or that of the attribute Ref of the enclosing
// function.
type Attribute struct {
	Name, Ref, Doc string
	Type           AttributeType // inferred from the value if the file has none
	Float          float32
	Int            int64
	String         []byte
	Tensor         *Tensor
	Graph          *Graph
	TypeProto      *Type
	Sparse         *SparseTensor
	Floats         []float32
	Ints           []int64
	Strings        [][]byte
	Tensors        []*Tensor
	Graphs         []*Graph
}

// Tensor is a TensorProto. Its elements are in Raw, row-major and little-endian, if HasRaw; in the file named by
// External, if IsExternal; otherwise in the list for its type.
type Tensor struct {
	Name, Doc  string
	Type       DataType
	Dims       []int64
	Raw        []byte
	HasRaw     bool
	Floats     []float32
	Int32s     []int32
	Strings    [][]byte
	Int64s     []int64
	Doubles    []float64
	Uint64s    []uint64
	IsExternal bool
	External   []Pair
}

// SparseTensor is a SparseTensorProto.
type SparseTensor struct {
	Values, Indices *Tensor
	Dims            []int64
}

// ValueInfo is a ValueInfoProto.
type ValueInfo struct {
	Name, Doc string
	Type      *Type
}

// Type is a TypeProto.
type Type struct {
	Tensor             *TensorType
	Sequence, Optional *Type
	Denotation         string
	IsOther            bool // a map, a sparse tensor or an opaque type
}

// TensorType is the type of a dense tensor.
type TensorType struct {
	Elem     DataType
	HasShape bool // if not, even the rank is unknown
	Dims     []Dimension
}

// Dimension is a size: a number, a name, or unknown.
type Dimension struct {
	Param   string
	Value   int64
	IsKnown bool // whether Value is set
}

// Function is a FunctionProto.
type Function struct {
	Name, Domain, Overload, Doc string
	Inputs, Outputs, Attributes []string
	Defaults                    []*Attribute // attributes with a default value
	Nodes                       []*Node
	Opsets                      []Opset
	Values                      []*ValueInfo
}
