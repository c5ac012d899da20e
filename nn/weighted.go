package nn

import (
	"math"
	"math/rand/v2"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Weighted is the weight of a layer. With [WeightNorm] or [SpectralNorm] a layer multiplies by what [Weighted.WeightIn] makes of
// Weight and of what stands beside it.
type Weighted struct {
	Weight   *graph.Node // the parameter
	Gain     *graph.Node // of [WeightNorm] the norms, with size 1 on all axes but one; else nil
	U, V     *graph.Node // of [SpectralNorm] the singular vectors, state; else nil
	axis     int
	iterates int
}

// normings are those of a layer's weight.
type normings struct {
	weightNorm, spectralNorm bool
	normAxis, iterates       int
}

// WeightNorm has a layer multiply by weight·gain/|weight|, with the norm over all axes but the given one: T. Salimans and D. Kingma, Weight
// Normalization, 2016, as PyTorch's torch.nn.utils.parametrizations.weight_norm, whose dim is 0 unless said otherwise. The parameters are
// parametrizations.weight.original0, the gain, and parametrizations.weight.original1; the gain starts with the norms of the
// weight's first values.
func WeightNorm(axis int) Option {
	return Option{"WeightNorm", func(s *settings) { s.weightNorm, s.normAxis = true, axis }}
}

// SpectralNorm has a layer multiply by its weight divided by the greatest singular value of the matrix of its outputs and all else: T. Miyato and
// others, Spectral Normalization for Generative Adversarial Networks, 2018, as PyTorch's torch.nn.utils.parametrizations.spectral_norm. The parameter is
// parametrizations.weight.original. The singular vectors, the state parametrizations.weight.0._u and _v, start with 15 steps of power
// iteration, and each application in a pass of training makes the given number of steps, PyTorch's n_power_iterations.
func SpectralNorm(iterations int) Option {
	return Option{"SpectralNorm", func(s *settings) { s.spectralNorm, s.iterates = true, iterations }}
}

// maxIterations bounds the steps of power iteration, each of which is nodes of the graph.
const maxIterations = 1 << 10

// wrongNorming says what is wrong with the options, or "".
func (s *settings) wrongNorming() string {
	switch {
	case s.weightNorm && s.spectralNorm:
		return "a weight has WeightNorm or SpectralNorm, and both are given"
	case s.spectralNorm && (s.iterates < 1 || s.iterates > maxIterations):
		return "Expected n_power_iterations to be positive, and at most 1024"
	}
	return ""
}

// newWeight declares the weight of a layer, whose outputs are along an axis.
func (s *settings) newWeight(g *graph.Graph, init graph.Initializer, outputs int, shape ...graph.Dim) Weighted {
	const original = "parametrizations.weight.original"
	init, w := or(s.weight, init), Weighted{axis: outputs, iterates: s.iterates}
	made := ofWeight{init: init, dtype: s.dtype}
	for _, d := range shape {
		made.shape = append(made.shape, known(g, d))
	}
	switch {
	case s.weightNorm:
		w.axis = s.normAxis
		made.axis = ((w.axis % len(shape)) + len(shape)) % len(shape) // one that there is not is told by the operation
		each := make([]graph.Dim, len(shape))
		for i := range each {
			each[i] = 1
		}
		each[made.axis] = shape[made.axis]
		w.Weight = g.ParamInit(original+"1", s.dtype, init, shape...)
		made.weight, made.name, made.make = w.Weight.Name(), "norms", norms
		w.Gain = g.ParamInit(original+"0", s.dtype, made, each...)
	case s.spectralNorm:
		made.axis = outputs
		rest := graph.Dim(1)
		for i, d := range shape {
			if i != outputs {
				rest = rest.Times(d)
			}
		}
		w.Weight = g.ParamInit(original, s.dtype, init, shape...)
		made.weight, made.name, made.make = w.Weight.Name(), "left_singular_vector", leftVector
		w.U = g.State("parametrizations.weight.0._u", s.dtype, made, shape[outputs])
		made.name, made.make = "right_singular_vector", rightVector
		w.V = g.State("parametrizations.weight.0._v", s.dtype, made, rest)
	default:
		w.Weight = g.ParamInit("weight", s.dtype, init, shape...)
	}
	return w
}

// WeightIn returns what the layer multiplies by in a pass: Weight, or what [WeightNorm] or [SpectralNorm] makes of it, in its shape. A layer without
// these options computes the same if it is given this value as its weight.
func (w *Weighted) WeightIn(p *Pass) *graph.Node {
	switch {
	case w.Gain != nil:
		return ops.WeightNorm(w.Weight, w.Gain, w.axis)
	case w.U == nil:
		return w.Weight
	case p == nil:
		return unbuilt("WeightIn", noPass, w.Weight)
	}
	u, v := p.Value(w.U), p.Value(w.V)
	if p.IsTraining() {
		p.g.Within(nil, func() { // once in a run, also in a branch of ops.Cond
			matrix := w.matrix()
			for range w.iterates {
				u = ops.Normalize(ops.MatMul(matrix, v), 2, 0, leastNorm)
				v = ops.Normalize(ops.MatMul(u, matrix), 2, 0, leastNorm)
			}
			u, v = ops.StopGradient(u), ops.StopGradient(v)
			p.Write(w.U, u)
			p.Write(w.V, v)
		})
	}
	return ops.Div(w.Weight, ops.VecDot(u, ops.MatMul(w.matrix(), v), 0))
}

// matrix is the weight with a row for each output.
func (w *Weighted) matrix() *graph.Node {
	return ops.Flatten(ops.MoveAxis(w.Weight, w.axis, 0), 1, -1)
}

// leastNorm is what norms of singular vectors are at least, as in PyTorch.
const leastNorm = 1e-12

// ofWeight makes first values of those of a weight, which it draws once more.
type ofWeight struct {
	name, weight string // the rule's, and that of the parameter
	init         graph.Initializer
	dtype        graph.DType
	shape        []int
	axis         int
	make         func(rows [][]float64, seed uint64) []float64
}

// Fill implements graph.Initializer.
func (o ofWeight) Fill(dst any, _ []int, seed uint64) {
	count := 1
	for _, n := range o.shape {
		count *= n
	}
	weight := o.dtype.MakeSlice(count)
	o.init.Fill(weight, o.shape, seed)
	inner := 1 // the elements behind the axis
	for _, n := range o.shape[o.axis+1:] {
		inner *= n
	}
	rows := make([][]float64, o.shape[o.axis])
	for i := range count {
		v, _ := graph.NumberAt(weight, i)
		row := i / inner % len(rows)
		rows[row] = append(rows[row], v)
	}
	values := o.make(rows, seed)
	for i := range values {
		graph.SetNumberAt(dst, i, values[i], 0)
	}
}

// String implements graph.Initializer.
func (o ofWeight) String() string { return o.name + "(" + o.init.String() + ")" }

// SeedOf implements graph.SeedSharer.
func (o ofWeight) SeedOf() string { return o.weight }

func norms(rows [][]float64, _ uint64) (list []float64) {
	for _, row := range rows {
		list = append(list, math.Sqrt(dot(row, row)))
	}
	return list
}

func leftVector(rows [][]float64, seed uint64) []float64 {
	u, _ := powerIteration(rows, seed)
	return u
}

func rightVector(rows [][]float64, seed uint64) []float64 {
	_, v := powerIteration(rows, seed)
	return v
}

// powerIteration returns the singular vectors of a matrix's greatest singular value, about.
func powerIteration(rows [][]float64, seed uint64) (u, v []float64) {
	if len(rows) == 0 || len(rows[0]) == 0 {
		return nil, nil
	}
	rng := rand.New(rand.NewPCG(seed, ^uint64(stream)))
	u, v = make([]float64, len(rows)), make([]float64, len(rows[0]))
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	for range 15 {
		for i, row := range rows {
			u[i] = dot(row, v)
		}
		unit(u)
		clear(v)
		for i, row := range rows {
			addTo(v, row, u[i])
		}
		unit(v)
	}
	return u, v
}

func unit(x []float64) {
	norm := math.Max(math.Sqrt(dot(x, x)), leastNorm)
	for i := range x {
		x[i] /= norm
	}
}
