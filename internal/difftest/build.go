package difftest

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/difftest/eager"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// argument is one argument of a call: its value, and its text.
type argument struct {
	value any
	text  string
}

// built is a program as a graph.
type built struct {
	g             *graph.Graph
	values        []*graph.Node
	first, second []*graph.Node // gradients
	descent       []*graph.Node // the updates of parameters by their gradients
	along         []*graph.Node // what the first ones are multiplied with for the second
	uncounted     bool          // a size decides how many values a step gives: build has stopped there
}

func (b *built) dim(s eager.Size) graph.Dim {
	sum := graph.Dim(0)
	for i, t := range s {
		d := graph.Dim(t.Times)
		for _, name := range t.Names {
			d = d.Times(graph.SymbolicDim(name))
		}
		if i == 0 {
			sum = d
		} else {
			sum = sum.Plus(d)
		}
	}
	return sum
}

func (b *built) shape(list []eager.Size) graph.Shape {
	s := make(graph.Shape, len(list))
	for i, d := range list {
		s[i] = b.dim(d)
	}
	return s
}

func dtype(t eager.DType) graph.DType {
	d, _ := graph.ParseDType(string(t))
	return d
}

// build makes the graph of a program.
func build(p *eager.Program) *built {
	b := declare(p)
	for i, in := range p.Inputs {
		declared, name := b.g.Input, "x"
		if in.Param {
			declared, name = b.g.Param, "w"
		}
		x := declared(name+strconv.Itoa(i), dtype(in.T), b.shape(in.Shape)...)
		if in.Mutable {
			x.Mutable()
		}
		b.values = append(b.values, x)
	}
	b.steps(p)
	return b
}

// declare begins the graph of a program: its policy and its names.
func declare(p *eager.Program) *built {
	policy := graph.Policy{MutualExpand: graph.AllowSilently, FixedName: graph.AllowSilently,
		SecondWrite: graph.AllowSilently, AxisMixing: graph.AllowSilently}
	policy.Names = map[string]graph.NamesPolicy{
		"strict": graph.Strict, "unify": graph.Unify, "numpy": graph.Numpy}[p.Policy]
	b := &built{g: graph.New("random", graph.WithPolicy(policy))}
	for _, n := range p.Names {
		b.g.Dim(n.Name, graph.AtLeast(int64(n.AtLeast)))
	}
	if p.Equal {
		b.g.Equal(graph.SymbolicDim(p.Names[0].Name), graph.SymbolicDim(p.Names[1].Name))
	}
	return b
}

// steps builds the steps of a program, and its gradients, of inputs that are there.
func (b *built) steps(p *eager.Program) {
	for i := range p.Steps {
		if b.uncounted = b.isUncounted(&p.Steps[i]); b.uncounted {
			return
		}
		b.values = append(b.values, b.step(&p.Steps[i])...)
	}
	if p.Gradient != nil {
		b.differentiate(p)
	}
}

// isUncounted reports whether a step cuts an axis of named size into parts, or takes it for one of size 1:
// it had one size whenever the program was drawn, and may have others.
func (b *built) isUncounted(s *eager.Step) bool {
	if !slices.Contains([]string{"Split", "Chunk", "Unbind", "Squeeze"}, s.Op) || !b.values[s.In[0]].Judged() {
		return false
	}
	shape := b.values[s.In[0]].Shape()
	return !shape[(s.I[0]+len(shape))%len(shape)].IsConst()
}

// step makes the nodes of a step.
func (b *built) step(s *eager.Step) (nodes []*graph.Node) {
	c := calls[s.Op]
	var args []reflect.Value
	f := reflect.TypeOf(c.fn)
	for _, a := range arguments(b, s) {
		at := min(len(args), f.NumIn()-1)
		t := f.In(at)
		if f.IsVariadic() && at == f.NumIn()-1 {
			t = t.Elem()
		}
		v := reflect.ValueOf(a.value)
		if a.value == nil {
			v = reflect.Zero(t)
		}
		args = append(args, v.Convert(t))
	}
	for _, r := range reflect.ValueOf(c.fn).Call(args) {
		if list, is := r.Interface().([]*graph.Node); is {
			nodes = append(nodes, list...)
		} else {
			nodes = append(nodes, r.Interface().(*graph.Node))
		}
	}
	return nodes
}

// arguments returns the arguments of the call of a step.
func arguments(b *built, s *eager.Step) (list []argument) {
	put := func(v any, format string, args ...any) {
		list = append(list, argument{v, fmt.Sprintf(format, args...)})
	}
	operand := func(k int) { list = append(list, b.operand(k)) }
	size := func(d eager.Size) { put(b.dim(d), "%s", goSize(d)) }
	used := 0
	for _, word := range strings.Fields(calls[s.Op].args) {
		k, _ := strconv.Atoi(word[1:])
		switch {
		case word == "x*":
			for _, k := range s.In[used:] {
				operand(k)
			}
		case word == "i*":
			for _, i := range s.I {
				put(i, "%d", i)
			}
		case word == "s*":
			for _, d := range s.S {
				size(d)
			}
		case word == "loop" || word == "fori" || word == "while" || word == "branch":
			list = append(list, b.control(word, s)...)
		case word == "g":
			put(b.g, "g")
		case word == "t":
			put(dtype(s.T), "%s", goDType(dtype(s.T)))
		case word == "eight":
			put(dtype(eager.DType(s.Text)), "%s", goDType(dtype(eager.DType(s.Text))))
		case word == "text":
			put(s.Text, "%q", s.Text)
		case word == "op":
			put(ops.Lookup(strings.ToLower(s.Text)), "ops.Lookup(%q)", strings.ToLower(s.Text))
		case word == "nil":
			put(nil, "nil")
		case word == "shape":
			put(b.shape(s.S), "graph.Shape%s", goSizes(s.S))
		case word == "class":
			if len(s.I) > 0 {
				put(ops.IgnoreIndex(s.I[0]), "ops.IgnoreIndex(%d)", s.I[0])
			}
			if len(s.In) > 2 {
				operand(s.In[2])
				w := &list[len(list)-1]
				w.value, w.text = ops.ClassWeights(w.value.(*graph.Node)), "ops.ClassWeights("+w.text+")"
			}
		case word == "strided":
			n := len(s.S) / 2
			put(b.shape(s.S[:n]), "graph.Shape%s", goSizes(s.S[:n]))
			put([]graph.Dim(b.shape(s.S[n:2*n])), "[]graph.Dim%s", goSizes(s.S[n:2*n]))
			size(s.S[2*n])
		case slices.Contains([]string{"bag", "stft", "index", "put", "get", "starts", "add", "out"}, word):
			list = append(list, b.operandOptions(word, s)...)
		case slices.Contains(
			[]string{"axes", "keep", "conv", "pool", "pool1", "pool2", "pool3", "loss", "by", "fold", "kernel", "upper",
				"resize", "fft"}, word):
			list = append(list, b.options(word, s)...)
		case word[0] == 'x':
			operand(s.In[k])
			used = k + 1
		case word[0] == 'b':
			put(s.I[k] != 0, "%t", s.I[k] != 0)
		case word[0] == 'i':
			put(s.I[k], "%d", s.I[k])
		case word[0] == 's':
			size(s.S[k])
		case word[0] == 'f':
			put(s.F[k], "%s", goFloat(s.F[k]))
		}
	}
	return list
}

// operand is a value as an argument: without nodes if the program is only written as text.
func (b *built) operand(k int) argument {
	switch {
	case k < 0:
		return argument{(*graph.Node)(nil), "nil"}
	case k >= len(b.values):
		return argument{(*graph.Node)(nil), fmt.Sprintf("v%d", k)}
	}
	return argument{b.values[k], fmt.Sprintf("v%d", k)}
}

// differentiate adds the gradients.
func (b *built) differentiate(p *eager.Program) {
	d := p.Gradient
	wrt := make([]*graph.Node, len(d.Wrt))
	for i, k := range d.Wrt {
		wrt[i] = b.values[k]
	}
	opts := []autodiff.Option{autodiff.ZeroForUnused()}
	if d.Up >= 0 {
		opts = append(opts, autodiff.Upstream(b.values[d.Up]))
	}
	b.first = autodiff.Grad(b.values[d.Of], wrt, opts...)
	for i, k := range d.Wrt {
		if d.Steps(p, k) {
			b.descent = append(b.descent, optim.SGD(d.Rate).Updates(wrt[i:i+1], b.first[i:i+1])...)
		}
	}
	if !d.Second {
		return
	}
	var total *graph.Node
	for i, x := range wrt {
		u := b.g.Input("u"+strconv.Itoa(i), x.DType(), x.Shape()...)
		b.along = append(b.along, u)
		term := ops.Sum(ops.Mul(b.first[i], u))
		if total == nil {
			total = term
		} else {
			total = ops.Add(total, term)
		}
	}
	b.second = autodiff.Grad(total, wrt, autodiff.ZeroForUnused())
}
