package export

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/onnx/internal/wire"
)

// writer names values and writes the messages of ONNX.
type writer struct {
	*exporter
	inputs, params []*value
	outputs        []*value
	taken          map[string]bool
	counts         map[string]int
	ops            map[*instr]bool
	needed         map[*value]bool
}

// output gives a value back under a name. One that has another name, or none of its own, is copied.
func (w *writer) output(name string, v *value) {
	for base, i := name, 1; w.taken[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	w.taken[name] = true
	if v.def == nil || w.given(v) {
		v = w.apply("Identity", v.tensor, nil, v)
	}
	v.name = name
	w.outputs = append(w.outputs, v)
}

// given reports whether a value is an output already.
func (w *writer) given(v *value) bool {
	for _, o := range w.outputs {
		if o == v {
			return true
		}
	}
	return false
}

// model writes all.
func (w *writer) model(name string, opset int) *wire.Model {
	w.main.out = w.outputs
	w.ops, w.needed, w.counts = map[*instr]bool{}, map[*value]bool{}, map[string]int{}
	w.main.live(w.ops, w.needed)
	g := &wire.Graph{Name: name}
	if name == "" {
		g.Name = "graph"
	}
	for _, v := range append(w.inputs, w.wanted...) {
		w.taken[v.name] = true
		g.Inputs = append(g.Inputs, infoOf(v))
	}
	for _, v := range w.params {
		if v.isReplaced && !w.needed[v] {
			delete(w.taken, v.name)
		}
	}
	w.names(w.main)
	for _, v := range w.params {
		if !v.isReplaced || w.needed[v] {
			g.Initializers = append(g.Initializers, tensorOf(v))
		}
	}
	for _, v := range w.initial {
		if w.needed[v] {
			v.name = w.free(cmp.Or(v.name, constantName(v)))
			g.Initializers = append(g.Initializers, tensorOf(v))
		}
	}
	g.Nodes = w.nodes(w.main)
	for _, v := range w.outputs {
		g.Outputs = append(g.Outputs, infoOf(v))
	}
	return &wire.Model{IRVersion: irVersion, Producer: "broadloom", Graph: g,
		Opsets: []wire.Opset{{Version: int64(opset)}}}
}

// irVersion is that of ONNX 1.16, which runs all opsets that are written.
const irVersion = 10

// names gives names to the values of a block that have none.
func (w *writer) names(b *block) {
	for _, v := range b.args {
		v.name = w.free("given")
	}
	for _, i := range b.body {
		if !w.ops[i] {
			continue
		}
		for k, v := range i.out {
			if v.name != "" && (k > 0 || w.given(v)) {
				continue
			}
			base := v.name
			if base == "" {
				base = scoped(i.scope, i.op)
			}
			v.name = w.free(base)
		}
		for _, s := range i.inner {
			w.names(s.body)
		}
	}
}

// scoped is a name within a scope, as tools that draw models expect it.
func scoped(scope, name string) string {
	if scope == "" {
		return name
	}
	return strings.ReplaceAll(scope, graph.ScopeSeparator, "/") + "/" + name
}

// free returns a name that no value has yet.
func (w *writer) free(base string) string {
	name := base
	for w.taken[name] {
		w.counts[base]++
		name = base + "_" + strconv.Itoa(w.counts[base])
	}
	w.taken[name] = true
	return name
}

// constantName is a name that tells a number.
func constantName(v *value) string {
	if _, _, is := numberOf(v); !is {
		return "constant"
	}
	if v.dtype.IsFloat() {
		return "constant_" + strconv.FormatFloat(v.data.number, 'g', 6, 64)
	}
	return "constant_" + strconv.FormatInt(v.data.whole, 10)
}

// nodes writes the operators of a block that are needed.
func (w *writer) nodes(b *block) (list []*wire.Node) {
	for _, i := range b.body {
		if !w.ops[i] {
			continue
		}
		n := &wire.Node{Op: i.op, Name: i.out[0].name, Attributes: i.attrs}
		for _, v := range i.in {
			if v == nil {
				n.Inputs = append(n.Inputs, "")
				continue
			}
			n.Inputs = append(n.Inputs, v.name)
		}
		for _, v := range i.out {
			n.Outputs = append(n.Outputs, v.name)
		}
		for _, s := range i.inner {
			n.Attributes = append(
				n.Attributes, &wire.Attribute{Name: s.name, Type: wire.AttributeGraph,
					Graph: w.subgraph(s.body, n.Name+"/"+s.name)})
		}
		list = append(list, n)
	}
	return list
}

// subgraph writes a block that belongs to an operator.
func (w *writer) subgraph(b *block, name string) *wire.Graph {
	g := &wire.Graph{Name: name, Nodes: w.nodes(b)}
	for _, v := range b.args {
		g.Inputs = append(g.Inputs, infoOf(v))
	}
	for _, v := range b.out {
		g.Outputs = append(g.Outputs, infoOf(v))
	}
	return g
}

// infoOf tells the name and the type of a value.
func infoOf(v *value) *wire.ValueInfo {
	t := &wire.TensorType{Elem: dataTypes[v.dtype], HasShape: true}
	for _, d := range v.shape {
		n, static := d.Int()
		if static {
			t.Dims = append(t.Dims, wire.Dimension{Value: n, IsKnown: true})
			continue
		}
		t.Dims = append(t.Dims, wire.Dimension{Param: d.String()})
	}
	return &wire.ValueInfo{Name: v.name, Type: &wire.Type{Tensor: t}}
}

// tensorOf writes a constant.
func tensorOf(v *value) *wire.Tensor {
	t := &wire.Tensor{Name: v.name, Type: dataTypes[v.dtype], HasRaw: true, Raw: v.data.raw}
	switch {
	case v.inHalves && v.dtype.IsUnsigned():
		t.Type = wire.Uint4
	case v.inHalves:
		t.Type = wire.Int4
	}
	for _, d := range v.shape {
		n, _ := d.Int()
		t.Dims = append(t.Dims, n)
	}
	return t
}
