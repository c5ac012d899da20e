package difftest

import (
	"encoding/json"
	"slices"

	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// Shrink reduces a program as long as fails holds for the rest.
func Shrink(p *eager.Program, fails func(*eager.Program) bool) *eager.Program {
	for smaller := true; smaller; {
		smaller = false
		for _, change := range changes(p) {
			q := copyOf(p)
			if change(q) {
				Trim(q)
				if hasValues(q) && fails(q) {
					p, smaller = q, true
					break
				}
			}
		}
	}
	return p
}

func copyOf(p *eager.Program) *eager.Program {
	text, err := json.Marshal(p)
	q := new(eager.Program)
	if err == nil {
		err = json.Unmarshal(text, q)
	}
	if err != nil { // infinite numbers
		panic(err)
	}
	return q
}

// hasValues reports whether the evaluator can compute a program at all its sizes.
func hasValues(p *eager.Program) bool {
	if len(p.Outputs)+len(p.Updates) == 0 && p.Gradient == nil || len(p.Inputs) == 0 {
		return false
	}
	for k := range p.Bindings {
		values, err := evaluate(p, k)
		if err != nil || p.Gradient != nil && p.Gradient.Up < 0 && len(values[p.Gradient.Of].Shape) > 0 {
			return false
		}
	}
	return true
}

// evaluate computes a program without derivatives.
func evaluate(p *eager.Program, binding int) ([]*eager.Tensor, error) {
	m := &eager.Machine{At: p.Bindings[binding]}
	var inputs []*eager.Tensor
	for id, in := range p.Inputs {
		inputs = append(inputs, m.Leaf(in, p.Draw(id, binding), nil, nil))
	}
	return m.Run(p, inputs)
}

// changes lists changes that may reduce a program: each reports whether it applies.
func changes(p *eager.Program) (list []func(*eager.Program) bool) {
	put := func(f func(q *eager.Program) bool) { list = append(list, f) }
	if p.Gradient != nil {
		put(func(q *eager.Program) bool { q.Gradient = nil; return true })
		put(func(q *eager.Program) bool { q.Gradient.Second = false; return p.Gradient.Second })
		put(func(q *eager.Program) bool { q.Gradient.Rate = 0; return p.Gradient.Rate != 0 })
		for i := range p.Gradient.Wrt {
			put(func(q *eager.Program) bool {
				q.Gradient.Wrt = slices.Delete(q.Gradient.Wrt, i, i+1)
				return len(q.Gradient.Wrt) > 0
			})
		}
	}
	for i := range p.Outputs {
		put(func(q *eager.Program) bool { q.Outputs = slices.Delete(q.Outputs, i, i+1); return true })
	}
	for i := range p.Updates {
		put(func(q *eager.Program) bool { q.Updates = slices.Delete(q.Updates, i, i+1); return true })
	}
	for i := range p.Foreign {
		put(func(q *eager.Program) bool { q.Foreign = slices.Delete(q.Foreign, i, i+1); return true })
	}
	put(func(q *eager.Program) bool { q.Again--; return q.Again >= 0 })
	for i := range p.Bindings {
		put(func(q *eager.Program) bool {
			q.Bindings = slices.Delete(q.Bindings, i, i+1)
			return len(q.Bindings) > 0
		})
	}
	firsts := p.Values()
	for i := len(p.Steps) - 1; i >= 0; i-- { // a step's operand, or a new input, in its place
		for _, k := range p.Steps[i].In {
			put(func(q *eager.Program) bool { return k >= 0 && p.Steps[i].N == 1 && replace(q, i, firsts[i], k) })
		}
		for _, t := range []eager.DType{eager.Float64, eager.Float32, eager.Int64, eager.Bool} {
			put(func(q *eager.Program) bool { return replaceByInput(q, i, t) })
		}
		put(func(q *eager.Program) bool { return q.Gradient == nil && output(q, i, firsts[i]) })
	}
	list = append(list, changesOfBodies(p)...)
	for id := range p.Inputs {
		put(func(q *eager.Program) bool { return dropInput(q, id) })
		put(func(q *eager.Program) bool { q.Inputs[id].T = eager.Float64; return p.Inputs[id].T == eager.Float32 })
	}
	return list
}

// dropInput removes an unread input. Later inputs then have other elements.
func dropInput(q *eager.Program, id int) bool {
	for _, s := range q.Steps {
		if slices.Contains(s.In, id) {
			return false
		}
	}
	if d := q.Gradient; slices.Contains(q.Outputs, id) ||
		d != nil && (d.Of == id || d.Up == id || slices.Contains(d.Wrt, id)) {
		return false
	}
	q.Inputs = slices.Delete(q.Inputs, id, id+1)
	shift(q, id+1, -1)
	return true
}

// replace replaces reads of a step's value by value k.
func replace(q *eager.Program, step, value, k int) bool {
	swap := func(list []int) {
		for i, v := range list {
			if v == value {
				list[i] = k
			}
		}
	}
	for _, s := range q.Steps[step+1:] {
		swap(s.In)
	}
	swap(q.Outputs)
	q.Updates = slices.DeleteFunc(q.Updates, func(v int) bool { return v == value })
	if d := q.Gradient; d != nil && d.Of == value {
		d.Of = k
	}
	return true
}

// output replaces all outputs by one value.
func output(q *eager.Program, step, value int) bool {
	if slices.Equal(q.Outputs, []int{value}) || step == len(q.Steps)-1 {
		return false
	}
	q.Outputs, q.Updates = []int{value}, nil
	return true
}

// replaceByInput replaces a step's values by a new input.
func replaceByInput(q *eager.Program, step int, t eager.DType) bool {
	g := &gen{p: q}
	value := q.Values()[step]
	for k, at := range q.Bindings {
		g.at = append(g.at, &eager.Machine{At: at})
		values, err := evaluate(q, k)
		if err != nil {
			return false
		}
		g.values = append(g.values, values)
	}
	if g.v(value).T != t || q.Steps[step].N != 1 || g.v(value).IsLiteral() {
		return false
	}
	shape := g.shapeOf(value)
	if slices.ContainsFunc(shape, func(s eager.Size) bool { return s == nil }) {
		return false
	}
	id := len(q.Inputs)
	shift(q, id, 1)
	q.Inputs = append(q.Inputs, eager.Input{T: t, Shape: shape, Kind: "real"})
	return replace(q, step, value+1, id)
}
