package suite

import "fmt"

// Tensor is one input of a workload: a name, a shape, and its elements in
// row-major order in the one slice that is not nil. A scalar has no axes.
type Tensor struct {
	Name  string
	Shape []int
	// Float holds the elements of a float32 tensor.
	Float []float32
	// Int holds class numbers; they are below Classes.
	Int     []int64
	Classes int
	// Trained says that a training step changes this tensor by its gradient.
	Trained bool
	// Held says that the tensor is a parameter that no gradient trains: a weight
	// of a model that is only evaluated, or a running statistic.
	Held bool
}

// Len is the number of elements.
func (t *Tensor) Len() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// OneHot spreads class numbers to rows of zeros with a single one, for the
// libraries that cannot gather.
func (t *Tensor) OneHot() *Tensor {
	rows := make([]float32, len(t.Int)*t.Classes)
	for i, c := range t.Int {
		rows[i*t.Classes+int(c)] = 1
	}
	return &Tensor{Name: t.Name, Shape: append(append([]int(nil), t.Shape...), t.Classes), Float: rows}
}

// Inputs are the tensors of a workload in a fixed order.
type Inputs struct {
	Tensors []*Tensor
}

// Get finds an input by name. A name that is not there is a mistake in a
// builder, so it panics.
func (in *Inputs) Get(name string) *Tensor {
	for _, t := range in.Tensors {
		if t.Name == name {
			return t
		}
	}
	panic(fmt.Sprintf("suite: no input %q", name))
}

// Trained lists the tensors that a training step changes, in order.
func (in *Inputs) Trained() []*Tensor {
	var ts []*Tensor
	for _, t := range in.Tensors {
		if t.Trained {
			ts = append(ts, t)
		}
	}
	return ts
}
