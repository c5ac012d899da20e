package weights

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/blockwise"
	"github.com/broadloom/broadloom/internal/raw"
)

// Parts loads parameters whose rows are, one after another, those of several tensors in the file:
// nn.MultiHeadAttention packs the projections of queries, keys and values, which Hugging Face's models and llama.cpp
// keep apart. names returns the tensors of a parameter, given its name in the graph; nil if it is one tensor, to which
// [Rename] applies. Saving with Parts is an error.
func Parts(names func(param string) []string) Option {
	return func(o *options) {
		if names != nil {
			o.parts = names
		}
	}
}

// tensorsOf returns the names of the tensors that a parameter is loaded from.
func (o options) tensorsOf(n *graph.Node) []string {
	if o.parts != nil {
		if names := o.parts(n.Name()); len(names) > 0 {
			return names
		}
	}
	return []string{o.rename(n.Name())}
}

// absent says which tensor a parameter lacks.
func (o options) absent(n *graph.Node, tensor string) string {
	param := fmt.Sprintf("%s %v (%s)", n.Name(), n.Shape(), n.Pos())
	if len(o.tensorsOf(n)) > 1 {
		return tensor + ", a part of " + param
	}
	return param
}

// partShape is the shape that a part of a parameter of a shape has, given its shape in the file: the same but for the
// number of rows. It reports whether there is one.
func (o options) partShape(n *graph.Node, want []int, inFile []int) (part []int, ok bool) {
	if len(inFile) != len(want) || len(want) == 0 {
		return nil, false
	}
	part = slices.Clone(want)
	if o.isTransposed(n) {
		part[0] = inFile[len(inFile)-1]
		return part, slices.Equal(kernelShape(part), inFile)
	}
	part[0] = inFile[0]
	return part, slices.Equal(part, inFile)
}

// partsMismatch says why tensors cannot be the parts of a parameter; nothing where they can.
func (o options) partsMismatch(n *graph.Node, tensors []raw.Info, w *blockwise.Weight) string {
	want, known := shapeOf(n, w)
	rows, fit := 0, known
	described := make([]string, len(tensors))
	for i, t := range tensors {
		described[i] = t.Name + " " + shapeText(t.Shape)
		part, ok := o.partShape(n, want, t.Shape)
		if fit = fit && ok; fit {
			rows += part[0]
		}
		if why := o.dtypeMismatch(n, t, w); why != "" {
			return why
		}
	}
	if !fit || rows != want[0] {
		return fmt.Sprintf("%s is %v (%s), which the rows of its parts in the file do not make: %s", n.Name(),
			shapeText(want), n.Pos(), strings.Join(described, ", "))
	}
	return ""
}

// value reads a parameter from its tensors.
func (o options) value(f *File, n *graph.Node, tensors []string) (exec.Array, error) {
	shape, _ := n.KnownShape()
	parts := make([]any, len(tensors))
	for i, name := range tensors {
		var err error
		if parts[i], err = o.part(f, n, name, n.DType()); err != nil {
			return exec.Array{}, err
		}
	}
	return exec.Array{Shape: shape, Data: joined(parts, n.DType())}, nil
}

// part reads a tensor of a parameter as elements of a dtype, in the order of the parameter's.
func (o options) part(f *File, n *graph.Node, name string, as graph.DType) (any, error) {
	t, err := f.Read(name)
	if err != nil {
		return nil, err
	}
	if o.isTransposed(n) {
		shape, _ := shapeOf(n, blockwise.Of(n))
		part, _ := o.partShape(n, shape, t.Shape)
		dtype, _ := graph.DTypeOfSlice(t.Data)
		t.Data = fromKernel(t.Data, dtype, part)
	}
	data, err := converted(t.Data, as)
	if err != nil {
		return nil, f.wrong(name, err)
	}
	return data, nil
}

// joined returns slices of a dtype one after another.
func joined(parts []any, t graph.DType) any {
	if len(parts) == 1 {
		return parts[0]
	}
	count := 0
	for _, part := range parts {
		count += reflect.ValueOf(part).Len()
	}
	all := t.MakeSlice(count)
	left := reflect.ValueOf(all)
	for _, part := range parts {
		left = left.Slice(reflect.Copy(left, reflect.ValueOf(part)), left.Len())
	}
	return all
}
