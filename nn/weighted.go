package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/blockwise"
	"github.com/broadloom/broadloom/ops"
)

// Weighted is the weight of a layer. With [WeightNorm], [SpectralNorm], [Int8Weights] or another option of quantised
// weights the layer multiplies by the value that [Weighted.WeightIn] computes from Weight and the other fields.
type Weighted struct {
	Weight   *graph.Node // the parameter
	Gain     *graph.Node // with [WeightNorm] the norms, with size 1 on all axes but one; else nil
	U, V     *graph.Node // with [SpectralNorm] the singular vectors, state; else nil
	Scale    *graph.Node // with [Int8Weights] and others the scales of blocks of Weight; else nil
	Minimum  *graph.Node // with [Uint8Weights] and [Uint4Weights] the minima of blocks of Weight; else nil
	held     *blockwise.Weight
	axis     int
	iterates int
}

// norming is how weights of a layer are normalized.
type norming struct {
	option   string
	weights  []string // of a layer of several; all where none is named
	axis     int      // of [WeightNorm]
	iterates int      // of [SpectralNorm]; else 0
}

// normings are those of a layer's weights.
type normings struct {
	given []norming
	made  []string // the weights that the layer has
}

// WeightNorm makes a layer multiply by weight·gain/|weight|, with the norm over all axes but the given one. It is
// PyTorch's torch.nn.utils.parametrizations.weight_norm, whose default dim is 0. The parameters are
// parametrizations.weight.original0, the gain, and parametrizations.weight.original1. The gain starts as the norms of
// the weight's initial values. In a layer with several weights, such as [NewLSTM], it applies to those that are
// named, or to all: WeightNorm(0, "weight_hh_l0") has the parameters parametrizations.weight_hh_l0.original0 and
// original1. Source: T. Salimans and D. Kingma, Weight Normalization, 2016.
func WeightNorm(axis int, weights ...string) Option {
	return Option{"WeightNorm", func(s *settings) {
		s.given = append(s.given, norming{option: "WeightNorm", weights: slices.Clone(weights), axis: axis})
	}}
}

// SpectralNorm makes a layer multiply by its weight divided by the largest singular value of the weight as a matrix,
// with the outputs as one axis. It is PyTorch's torch.nn.utils.parametrizations.spectral_norm. The parameter is
// parametrizations.weight.original. The singular vectors, the state parametrizations.weight.0._u and _v, start with
// 15 steps of power iteration. Each application in a training pass makes the given number of steps, PyTorch's
// n_power_iterations. Weights are named as in [WeightNorm]. Source: T. Miyato and others, Spectral Normalization for
// Generative Adversarial Networks, 2018.
func SpectralNorm(iterations int, weights ...string) Option {
	return Option{"SpectralNorm", func(s *settings) {
		s.given = append(s.given, norming{option: "SpectralNorm", weights: slices.Clone(weights), iterates: iterations})
	}}
}

// maxIterations bounds the steps of power iteration, each of which is nodes of the graph.
const maxIterations = 1 << 10

// wrongNorming says what is wrong with the options, or "".
func (s *settings) wrongNorming() string {
	for i, n := range s.given {
		if n.option == "SpectralNorm" && (n.iterates < 1 || n.iterates > maxIterations) {
			return "Expected n_power_iterations to be positive, and at most 1024"
		}
		for _, other := range s.given[:i] {
			both := slices.ContainsFunc(n.weights, func(name string) bool {
				return slices.Contains(other.weights, name)
			})
			switch {
			case !both && len(n.weights) > 0 && len(other.weights) > 0:
			case n.option == other.option:
				return n.option + " is set twice for a weight"
			default:
				return "a weight can have WeightNorm or SpectralNorm, but not both"
			}
		}
	}
	if n := s.normingOf("weight"); len(s.padding) > 0 && n.option == "WeightNorm" && (n.axis == 0 || n.axis == -2) {
		return "WeightNorm(0) divides each row by its norm, but that of PaddingIndex is 0: use WeightNorm(1), or no PaddingIndex"
	}
	return ""
}

// missingWeight says which weight a norming names that the layer does not have, or "".
func (s *settings) missingWeight() string {
	for _, n := range s.given {
		for _, name := range n.weights {
			if !slices.Contains(s.made, name) {
				return fmt.Sprintf("%s is for the weight %q, but the layer has %s", n.option, name,
					strings.Join(s.made, ", "))
			}
		}
	}
	return ""
}

// normingOf returns the norming of the weight of a name; the zero value has none.
func (s *settings) normingOf(name string) norming {
	for _, n := range s.given {
		if len(n.weights) == 0 || slices.Contains(n.weights, name) {
			return n
		}
	}
	return norming{}
}

// normedAs is the option that a layer within this one has for its only weight, which this one has under another name.
func (s *settings) normedAs(name string) Option {
	s.made = append(s.made, name)
	n := s.normingOf(name)
	if n.option == "" {
		return Option{}
	}
	n.weights = nil
	return Option{n.option, func(s *settings) { s.given = append(s.given, n) }}
}

// newWeight declares the weight of a layer, whose outputs are along an axis.
func (s *settings) newWeight(g *graph.Graph, init graph.Initializer, outputs int, shape ...graph.Dim) Weighted {
	return s.newNamedWeight(g, "weight", init, outputs, shape...)
}

// newNamedWeight declares one of several weights of a layer.
func (s *settings) newNamedWeight(g *graph.Graph, name string, init graph.Initializer, outputs int,
	shape ...graph.Dim) Weighted {
	s.made = append(s.made, name)
	parametrization, norming := "parametrizations."+name, s.normingOf(name)
	original := parametrization + ".original"
	init, w := or(s.weight, init), Weighted{axis: outputs, iterates: norming.iterates}
	if s.held != nil {
		trouble := s.wrongBlock(g, name, shape)
		if trouble == "" {
			return s.newHeldWeight(g, name, init, shape)
		}
		s.layer.refuse(trouble)
		s.held = nil
	}
	made := ofWeight{init: init, dtype: s.dtype}
	for _, d := range shape {
		made.shape = append(made.shape, known(g, d))
	}
	switch norming.option {
	case "WeightNorm":
		w.axis = norming.axis
		made.axis = ((w.axis % len(shape)) + len(shape)) % len(shape) // one that there is not is told by the operation
		each := make([]graph.Dim, len(shape))
		for i := range each {
			each[i] = 1
		}
		each[made.axis] = shape[made.axis]
		w.Weight = g.ParamInit(original+"1", s.dtype, init, shape...)
		made.weight, made.name, made.make = w.Weight.Name(), "norms", norms
		w.Gain = g.ParamInit(original+"0", s.dtype, made, each...)
	case "SpectralNorm":
		made.axis = outputs
		rest := graph.Dim(1)
		for i, d := range shape {
			if i != outputs {
				rest = rest.Times(d)
			}
		}
		w.Weight = g.ParamInit(original, s.dtype, init, shape...)
		made.weight, made.name, made.make = w.Weight.Name(), "left_singular_vector", leftVector
		w.U = g.State(parametrization+".0._u", s.dtype, made, shape[outputs])
		made.name, made.make = "right_singular_vector", rightVector
		w.V = g.State(parametrization+".0._v", s.dtype, made, rest)
	default:
		w.Weight = g.ParamInit(name, s.dtype, init, shape...)
	}
	return w
}

// WeightIn returns the value by which the layer multiplies in a pass: Weight, or the result of [WeightNorm],
// [SpectralNorm], [Int8Weights], [Int4Weights], [Uint8Weights] or [Uint4Weights], in the shape that it has without
// these options. A layer without them computes the same if it has this value as its weight.
func (w *Weighted) WeightIn(p *Pass) *graph.Node {
	switch {
	case w.Scale != nil:
		return w.dequantized(p.Value)
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
