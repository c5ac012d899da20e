package importer

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
	"github.com/broadloom/broadloom/onnx/internal/wire"
)

// inputs declares what a run is fed. A tensor of the file that is listed among the inputs, as old files do, is none.
func (b *builder) inputs(g *wire.Graph, s *scope, result *Result) {
	left := map[string]bool{}
	for _, names := range []iter.Seq[string]{maps.Keys(b.Shapes), maps.Keys(b.Given), maps.Keys(b.Bound)} {
		for name := range names {
			left[name] = true
		}
	}
	for _, in := range g.Inputs {
		delete(left, in.Name)
		if n := b.Given[in.Name]; n != nil {
			s.values[in.Name] = ofNode(n)
			continue
		}
		if a, ok := b.Bound[in.Name]; ok {
			v := b.ofArray(a)
			if t := TensorType(in.Type); t != nil {
				v.bits = narrowBits(t.Elem)
			}
			s.values[in.Name] = v
			continue
		}
		if _, isKnown := s.values[in.Name]; isKnown {
			continue
		}
		s.values[in.Name] = nil
		b.guard(&wire.Node{Name: in.Name, Op: "input"}, func() {
			n := b.input(g, in)
			result.Inputs = append(result.Inputs, Named{in.Name, n})
			s.values[in.Name] = &value{node: n, bits: narrowBits(TensorType(in.Type).Elem)}
		})
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		b.problem("the model has no input %q: it has %s", name, quoted(g.Inputs))
	}
	used := map[string]bool{}
	for _, in := range g.Inputs {
		for _, name := range namesOf(g, in) {
			used[name] = true
		}
	}
	for _, name := range slices.Concat(slices.Sorted(maps.Keys(b.Sizes)), slices.Sorted(maps.Keys(b.Empty))) {
		if !used[name] {
			b.problem("no input of the model has a size %q: there are %s", name,
				strings.Join(slices.Sorted(maps.Keys(used)), ", "))
		}
	}
}

func quoted(list []*wire.ValueInfo) string {
	var names []string
	for _, v := range list {
		names = append(names, fmt.Sprintf("%q", v.Name))
	}
	return strings.Join(names, ", ")
}

// TensorType returns the type of a tensor input, which may be optional.
func TensorType(t *wire.Type) *wire.TensorType {
	for t != nil && t.Optional != nil {
		t = t.Optional
	}
	if t == nil {
		return nil
	}
	return t.Tensor
}

func (b *builder) input(g *wire.Graph, in *wire.ValueInfo) node {
	t := TensorType(in.Type)
	if t == nil {
		refuse("only tensors can be fed")
	}
	shape, given := b.Shapes[in.Name]
	for _, name := range prove.NamesOf(b.g.Bounds, shape...) {
		b.g.Dim(name)
	}
	if !given {
		if !t.HasShape {
			refuse("the model does not declare its shape: set one")
		}
		for i, d := range t.Dims {
			shape = append(shape, b.size(SizeName(g, in, i), d))
		}
	}
	return b.g.Input(in.Name, dtypeOf(t.Elem), shape...)
}

// namesOf are the names of an input's sizes.
func namesOf(g *wire.Graph, in *wire.ValueInfo) (names []string) {
	if t := TensorType(in.Type); t != nil {
		for i, d := range t.Dims {
			if !d.IsKnown || d.Value < 0 {
				names = append(names, SizeName(g, in, i))
			}
		}
	}
	return names
}

// SizeName returns the name of the size of an input's axis. One without a name gets a unique name, made from that of
// the input.
func SizeName(g *wire.Graph, in *wire.ValueInfo, axis int) string {
	name := TensorType(in.Type).Dims[axis].Param
	if strings.ContainsFunc(name, unicode.IsLetter) { // "?" and "2" are none
		return name
	}
	name = fmt.Sprintf("%s_%d", in.Name, axis)
	for isTaken(g, name) {
		name += "_"
	}
	return name
}

// isTaken reports whether an input has a size of a name.
func isTaken(g *wire.Graph, name string) bool {
	return slices.ContainsFunc(g.Inputs, func(in *wire.ValueInfo) bool {
		t := TensorType(in.Type)
		return t != nil && slices.ContainsFunc(t.Dims, func(d wire.Dimension) bool { return d.Param == name })
	})
}

// size is the size of an axis of an input.
func (b *builder) size(name string, d wire.Dimension) graph.Dim {
	if d.IsKnown && d.Value >= 0 {
		return graph.Dim(d.Value)
	}
	if n, ok := b.Sizes[name]; ok {
		return graph.Dim(n)
	}
	if known, ok := b.names[name]; ok {
		return known
	}
	var opts []graph.DimOption
	if b.Empty[name] {
		opts = append(opts, graph.AtLeast(0))
	}
	clean := identifier(name)
	for slices.Contains(slices.Collect(maps.Values(b.names)), graph.SymbolicDim(clean)) { // of another name
		clean += "_"
	}
	b.names[name] = b.g.Dim(clean, opts...)
	return b.names[name]
}

// identifier makes a name of one that sizes may have: letters, digits and _.
func identifier(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r == '_' || r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, name)
	if clean == "" || unicode.IsDigit(rune(clean[0])) {
		clean = "n" + clean
	}
	return clean
}

// outputNames are the names of the requested values.
func (b *builder) outputNames(g *wire.Graph) (names []string) {
	if b.Outputs != nil {
		return b.Outputs
	}
	for _, out := range g.Outputs {
		names = append(names, out.Name)
	}
	return names
}

// output is a result. Behind the elements that count, it has zeros.
func (b *builder) output(name string, v *value) Output {
	out := Output{Named: Named{name, b.filled(v, 0)}}
	if v.counted != nil {
		out.Count, out.Axis = b.countOf(v.counted.size), v.counted.axis
	}
	return out
}

// outputs collects the results.
func (b *builder) outputs(g *wire.Graph, s *scope, result *Result) {
	for _, name := range b.outputNames(g) {
		v, found := s.find(name)
		if !found || v == nil {
			b.problem("no value of the model is called %q", name)
			continue
		}
		b.guard(&wire.Node{Name: name, Op: "output"}, func() {
			if !v.isList {
				result.Outputs = append(result.Outputs, b.output(name, v))
				return
			}
			for i, part := range v.list {
				result.Outputs = append(result.Outputs, b.output(fmt.Sprintf("%s.%d", name, i), part))
			}
		})
	}
}
