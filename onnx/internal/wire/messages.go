package wire

func (r *reader) model(p part) (*Model, error) {
	m := new(Model)
	return m, r.fields(p, "ModelProto", func(f *field) error {
		switch f.num {
		case 1:
			return f.int64("ir_version", &m.IRVersion)
		case 2:
			return f.text("producer_name", &m.Producer)
		case 3:
			return f.text("producer_version", &m.ProducerVersion)
		case 4:
			return f.text("domain", &m.Domain)
		case 5:
			return f.int64("model_version", &m.Version)
		case 6:
			return f.text("doc_string", &m.Doc)
		case 7:
			return one(f, "graph", &m.Graph, (*reader).graph)
		case 8:
			return values(f, "opset_import", &m.Opsets, (*reader).opset)
		case 14:
			return values(f, "metadata_props", &m.Metadata, (*reader).pair)
		case 25:
			return many(f, "functions", &m.Functions, (*reader).function)
		}
		return nil
	})
}

func (r *reader) opset(p part) (*Opset, error) {
	o := new(Opset)
	return o, r.fields(p, "OperatorSetIdProto", func(f *field) error {
		switch f.num {
		case 1:
			return f.text("domain", &o.Domain)
		case 2:
			return f.int64("version", &o.Version)
		}
		return nil
	})
}

func (r *reader) pair(p part) (*Pair, error) {
	v := new(Pair)
	return v, r.fields(p, "StringStringEntryProto", func(f *field) error {
		switch f.num {
		case 1:
			return f.text("key", &v.Key)
		case 2:
			return f.text("value", &v.Value)
		}
		return nil
	})
}

func (r *reader) graph(p part) (*Graph, error) {
	g := new(Graph)
	return g, r.fields(p, "GraphProto", func(f *field) error {
		switch f.num {
		case 1:
			return many(f, "node", &g.Nodes, (*reader).node)
		case 2:
			return f.text("name", &g.Name)
		case 5:
			return many(f, "initializer", &g.Initializers, (*reader).tensor)
		case 10:
			return f.text("doc_string", &g.Doc)
		case 11:
			return many(f, "input", &g.Inputs, (*reader).valueInfo)
		case 12:
			return many(f, "output", &g.Outputs, (*reader).valueInfo)
		case 13:
			return many(f, "value_info", &g.Values, (*reader).valueInfo)
		case 15:
			return many(f, "sparse_initializer", &g.Sparse, (*reader).sparseTensor)
		}
		return nil
	})
}

func (r *reader) node(p part) (*Node, error) {
	n := new(Node)
	return n, r.fields(p, "NodeProto", func(f *field) error {
		switch f.num {
		case 1:
			return f.texts("input", &n.Inputs)
		case 2:
			return f.texts("output", &n.Outputs)
		case 3:
			return f.text("name", &n.Name)
		case 4:
			return f.text("op_type", &n.Op)
		case 5:
			return many(f, "attribute", &n.Attributes, (*reader).attribute)
		case 6:
			return f.text("doc_string", &n.Doc)
		case 7:
			return f.text("domain", &n.Domain)
		case 8:
			return f.text("overload", &n.Overload)
		}
		return nil
	})
}

func (r *reader) attribute(p part) (*Attribute, error) {
	a, told := new(Attribute), AttributeUndefined
	err := r.fields(p, "AttributeProto", func(f *field) error {
		kind, err := a.take(f)
		if kind != AttributeUndefined {
			told = kind
		}
		return err
	})
	if a.Type == AttributeUndefined && a.Ref == "" {
		a.Type = told
	}
	return a, err
}

// take reads a field, and returns the kind of attributes that have their value in it.
func (a *Attribute) take(f *field) (AttributeType, error) {
	switch f.num {
	case 1:
		return 0, f.text("name", &a.Name)
	case 2:
		return AttributeFloat, f.float("f", &a.Float)
	case 3:
		return AttributeInt, f.int64("i", &a.Int)
	case 4:
		return AttributeString, f.blob("s", &a.String)
	case 5:
		return AttributeTensor, one(f, "t", &a.Tensor, (*reader).tensor)
	case 6:
		return AttributeGraph, one(f, "g", &a.Graph, (*reader).graph)
	case 7:
		return AttributeFloats, f.floats("floats", &a.Floats)
	case 8:
		return AttributeInts, varints(f, "ints", &a.Ints)
	case 9:
		return AttributeStrings, f.blobs("strings", &a.Strings)
	case 10:
		return AttributeTensors, many(f, "tensors", &a.Tensors, (*reader).tensor)
	case 11:
		return AttributeGraphs, many(f, "graphs", &a.Graphs, (*reader).graph)
	case 13:
		return 0, f.text("doc_string", &a.Doc)
	case 14:
		return AttributeTypeProto, one(f, "tp", &a.TypeProto, (*reader).typeProto)
	case 20:
		return 0, enum(f, "type", &a.Type)
	case 21:
		return 0, f.text("ref_attr_name", &a.Ref)
	case 22:
		return AttributeSparseTensor, one(f, "sparse_tensor", &a.Sparse, (*reader).sparseTensor)
	}
	return 0, nil
}

func (r *reader) tensor(p part) (*Tensor, error) {
	t, location := new(Tensor), int32(0)
	err := r.fields(p, "TensorProto", func(f *field) error {
		switch f.num {
		case 1:
			return varints(f, "dims", &t.Dims)
		case 2:
			return enum(f, "data_type", &t.Type)
		case 4:
			return f.floats("float_data", &t.Floats)
		case 5:
			return varints(f, "int32_data", &t.Int32s)
		case 6:
			return f.blobs("string_data", &t.Strings)
		case 7:
			return varints(f, "int64_data", &t.Int64s)
		case 8:
			return f.text("name", &t.Name)
		case 9:
			t.HasRaw = true
			return f.blob("raw_data", &t.Raw)
		case 10:
			return f.doubles("double_data", &t.Doubles)
		case 11:
			return varints(f, "uint64_data", &t.Uint64s)
		case 12:
			return f.text("doc_string", &t.Doc)
		case 13:
			return values(f, "external_data", &t.External, (*reader).pair)
		case 14:
			return enum(f, "data_location", &location)
		}
		return nil
	})
	t.IsExternal = location == external
	return t, err
}

// external is the place of data in a file of its own.
const external = 1

func (r *reader) sparseTensor(p part) (*SparseTensor, error) {
	t := new(SparseTensor)
	return t, r.fields(p, "SparseTensorProto", func(f *field) error {
		switch f.num {
		case 1:
			return one(f, "values", &t.Values, (*reader).tensor)
		case 2:
			return one(f, "indices", &t.Indices, (*reader).tensor)
		case 3:
			return varints(f, "dims", &t.Dims)
		}
		return nil
	})
}

func (r *reader) valueInfo(p part) (*ValueInfo, error) {
	v := new(ValueInfo)
	return v, r.fields(p, "ValueInfoProto", func(f *field) error {
		switch f.num {
		case 1:
			return f.text("name", &v.Name)
		case 2:
			return one(f, "type", &v.Type, (*reader).typeProto)
		case 3:
			return f.text("doc_string", &v.Doc)
		}
		return nil
	})
}

// typeProto reads a type, of whose forms the last one counts.
func (r *reader) typeProto(p part) (*Type, error) {
	t := new(Type)
	return t, r.fields(p, "TypeProto", func(f *field) error {
		if f.num == 6 {
			return f.text("denotation", &t.Denotation)
		}
		form := Type{Denotation: t.Denotation}
		var err error
		switch f.num {
		case 1:
			err = one(f, "tensor_type", &form.Tensor, (*reader).tensorType)
		case 4:
			err = one(f, "sequence_type", &form.Sequence, (*reader).elementType)
		case 9:
			err = one(f, "optional_type", &form.Optional, (*reader).elementType)
		case 5, 7, 8:
			form.IsOther = true
		default:
			return nil
		}
		*t = form
		return err
	})
}

// elementType reads what a sequence or an optional has.
func (r *reader) elementType(p part) (*Type, error) {
	t := new(Type)
	err := r.fields(p, "TypeProto.Sequence", func(f *field) error {
		if f.num != 1 {
			return nil
		}
		return one(f, "elem_type", &t, (*reader).typeProto)
	})
	return t, err
}

func (r *reader) tensorType(p part) (*TensorType, error) {
	t := new(TensorType)
	return t, r.fields(p, "TypeProto.Tensor", func(f *field) error {
		switch f.num {
		case 1:
			return enum(f, "elem_type", &t.Elem)
		case 2:
			t.HasShape, t.Dims = true, nil
			p, err := f.inner("shape")
			if err != nil {
				return err
			}
			return r.fields(p, "TensorShapeProto", func(f *field) error {
				if f.num != 1 {
					return nil
				}
				return values(f, "dim", &t.Dims, (*reader).dimension)
			})
		}
		return nil
	})
}

func (r *reader) dimension(p part) (*Dimension, error) {
	d := new(Dimension)
	return d, r.fields(p, "TensorShapeProto.Dimension", func(f *field) error {
		switch f.num {
		case 1:
			*d = Dimension{IsKnown: true}
			return f.int64("dim_value", &d.Value)
		case 2:
			*d = Dimension{}
			return f.text("dim_param", &d.Param)
		}
		return nil
	})
}

func (r *reader) function(p part) (*Function, error) {
	v := new(Function)
	return v, r.fields(p, "FunctionProto", func(f *field) error {
		switch f.num {
		case 1:
			return f.text("name", &v.Name)
		case 4:
			return f.texts("input", &v.Inputs)
		case 5:
			return f.texts("output", &v.Outputs)
		case 6:
			return f.texts("attribute", &v.Attributes)
		case 7:
			return many(f, "node", &v.Nodes, (*reader).node)
		case 8:
			return f.text("doc_string", &v.Doc)
		case 9:
			return values(f, "opset_import", &v.Opsets, (*reader).opset)
		case 10:
			return f.text("domain", &v.Domain)
		case 11:
			return many(f, "attribute_proto", &v.Defaults, (*reader).attribute)
		case 12:
			return many(f, "value_info", &v.Values, (*reader).valueInfo)
		case 13:
			return f.text("overload", &v.Overload)
		}
		return nil
	})
}
