package conformance

import (
	"slices"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// variables builds the steps of inplace.jsonl. PyTorch's names stand for memory, a graph's
// nodes for values: after each write the names of all values in the written memory are
// given to the values after the write.
type variables struct {
	g      *graph.Graph
	byName map[string]*variable
	names  []string
	fed    feeds
	leaves []*leaf
}

// variable is what a name stands for.
type variable struct {
	// value is the value now.
	value *graph.Node
	// history is the value through which gradients flow: another one after a write that
	// was not recorded.
	history *graph.Node
	// detached says that gradients stop here.
	detached bool
}

// leaf is an input whose gradient is computed.
type leaf struct {
	name     string
	versions []*graph.Node // the input, and what it became by writes that were not recorded
	grads    []*graph.Node // what each backward step gave
}

func newVariables(alias graph.AliasPolicy) *variables {
	return &variables{g: graph.New("case",
		graph.WithPolicy(graph.Policy{MutualExpand: graph.AllowSilently, Alias: alias})),
		byName: map[string]*variable{}, fed: feeds{}}
}

func (v *variables) set(name string, x *variable) {
	if v.byName[name] == nil {
		v.names = append(v.names, name)
	}
	v.byName[name] = x
}

// step builds one step. The error says what is not supported.
func (v *variables) step(s *step) error {
	switch {
	case s.Op == "leaf":
		return v.leaf(s)
	case s.Op == "backward":
		return v.backward(v.byName[s.In[0]])
	case s.writes():
		return v.write(s)
	}
	in := make([]*graph.Node, len(s.In))
	for i, name := range s.In {
		x := v.byName[name]
		if x.history != x.value && !x.detached && !s.NoGrad {
			return unsupported{"a value that was changed without a record"}
		}
		in[i] = x.value
	}
	out, err := v.compute(s, in)
	if err != nil {
		return err
	}
	detached := s.NoGrad || s.Op == "detach"
	for _, name := range s.In {
		detached = detached || v.byName[name].detached
	}
	if detached && !alias.IsView(out[0]) && s.Op != "detach" {
		out[0], detached = ops.StopGradient(out[0]), false
	}
	for i, name := range s.Out {
		v.set(name, &variable{value: out[i], history: out[i], detached: detached})
	}
	return nil
}

// compute builds a value. What shows its operand's own memory is the operand itself.
func (v *variables) compute(s *step, in []*graph.Node) ([]*graph.Node, error) {
	if s.Op == "detach" || s.Op == "contiguous" && alias.LayoutOf(in[0]).IsDense() {
		return in, nil
	}
	return build(s.Op, nil, in, s.Attrs)
}

func (v *variables) leaf(s *step) error {
	shape, _ := graph.Shape(s.Shape).Ints()
	value, err := array{shape, s.DType, s.Data}.value()
	if err != nil {
		return err
	}
	n := v.g.Input(s.Out[0], value.DType, graph.Shape(s.Shape)...).Mutable()
	v.fed[n] = value
	v.set(s.Out[0], &variable{value: n, history: n})
	if s.RequiresGrad {
		v.leaves = append(v.leaves, &leaf{name: s.Out[0], versions: []*graph.Node{n}})
	}
	return nil
}

// write builds a step that changes its first operand, and gives all names of values in the
// same memory their values after it.
func (v *variables) write(s *step) error {
	target := v.byName[s.In[0]]
	in := make([]*graph.Node, len(s.In))
	for i, name := range s.In {
		in[i] = v.byName[name].value
		isUnrecorded := (s.NoGrad || v.byName[name].detached) && in[i].DType().IsFloat()
		if i > 0 && isUnrecorded && alias.Storage(in[i]) != alias.Storage(in[0]) {
			in[i] = ops.StopGradient(in[i])
		}
	}
	w, err := write(s, in)
	if err != nil || !w.Judged() || w.Err() != nil {
		return err
	}
	recorded := !s.NoGrad && !target.detached
	memory := alias.Storage(w)
	for _, name := range v.names {
		x := v.byName[name]
		if alias.Storage(x.value) != memory {
			continue
		}
		if x == target {
			x.value = w
		} else {
			x.value = ops.After(x.value, w)
		}
		if recorded {
			x.history = x.value
		}
	}
	if !recorded {
		v.renew(memory)
		return nil
	}
	v.refuseLeaf(w, memory)
	return nil
}

// renew makes what a leaf became by a write that was not recorded the leaf's new version.
func (v *variables) renew(memory *graph.Node) {
	for _, l := range v.leaves {
		if l.versions[0] == memory {
			x := v.byName[l.name]
			l.versions = append(l.versions, x.value)
			for _, name := range v.names { // views of the leaf are views of the new version
				if y := v.byName[name]; alias.Storage(y.value) == memory {
					y.history = y.value
				}
			}
		}
	}
}

// refuseLeaf asks for the gradient of a recorded write to the memory of a leaf. PyTorch
// refuses the write itself, a graph what differentiates it.
func (v *variables) refuseLeaf(w, memory *graph.Node) {
	for _, l := range v.leaves {
		if l.versions[0] == memory {
			autodiff.Grad(ops.Sum(w), []*graph.Node{l.versions[len(l.versions)-1]}, autodiff.ZeroForUnused())
		}
	}
}

// backward asks for the gradients of the sum of a value with respect to the leaves that it
// depends on.
func (v *variables) backward(x *variable) error {
	y := x.history
	var wrt []*graph.Node
	var of []*leaf
	for _, l := range v.leaves {
		reached := 0
		for _, version := range l.versions {
			if dependsOn(y, version, l.versions) {
				wrt, of = append(wrt, version), append(of, l)
				reached++
			}
		}
		if reached > 1 {
			return unsupported{"a gradient with respect to two versions of a leaf"}
		}
	}
	loss := y
	if y.Rank() > 0 {
		loss = ops.Sum(y)
	}
	if len(wrt) == 0 {
		for _, l := range v.leaves {
			wrt = append(wrt, l.versions[0])
		}
		autodiff.Grad(loss, wrt)
		return nil
	}
	for i, dx := range autodiff.Grad(loss, wrt, autodiff.ZeroForUnused()) {
		of[i].grads = append(of[i].grads, dx)
	}
	return nil
}

// dependsOn reports whether a way leads from a version of a leaf to y that does not pass
// another version.
func dependsOn(y, version *graph.Node, versions []*graph.Node) bool {
	if y == version {
		return true
	}
	if slices.Contains(versions, y) || ops.StopsGradient(y) {
		return false
	}
	return slices.ContainsFunc(y.Operands(), func(x *graph.Node) bool { return dependsOn(x, version, versions) })
}

// results lists the values of all names and the gradients of all leaves that have one.
func (v *variables) results() (values map[string]*graph.Node, grads map[string]*graph.Node) {
	values, grads = map[string]*graph.Node{}, map[string]*graph.Node{}
	for _, name := range v.names {
		values[name] = v.byName[name].value
	}
	for _, l := range v.leaves {
		for _, dx := range l.grads {
			if grads[l.name] != nil {
				dx = ops.Add(grads[l.name], dx)
			}
			grads[l.name] = dx
		}
	}
	return values, grads
}

// describe returns the program in one line.
func describe(program []step) string {
	text := ""
	for i, s := range program {
		if i > 0 {
			text += "; "
		}
		text += s.String()
		if s.NoGrad {
			text += " (no_grad)"
		}
	}
	return text
}
