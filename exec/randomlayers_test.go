package exec_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// randomModel is layers put together at random: of sequences [b, s, d], images [b, c, h, w] and rows [b, d].
type randomModel struct {
	*rand.Rand
	g       *graph.Graph
	dt      graph.DType
	learned []*graph.Node
	seen    []*graph.Node // values whose squares are added to the loss
	b, s    graph.Dim
	depth   int
	draws   bool // numbers that depend on which sizes are known
	trained bool // weights are parameters, which a step of an optimiser changes
	updates []*graph.Node
}

func (m *randomModel) num(v float64) *graph.Node { return m.g.Scalar(m.dt, v) }

// weight is a value whose gradient is computed.
func (m *randomModel) weight(shape ...graph.Dim) *graph.Node {
	name := fmt.Sprint("w", len(m.learned))
	if m.trained && !slices.ContainsFunc(shape, graph.Dim.IsSymbolic) {
		x := m.g.ParamInit(name, m.dt, nn.Normal(0.5), shape...)
		m.learned = append(m.learned, x)
		return x
	}
	x := m.g.Input(name, m.dt, shape...)
	m.learned = append(m.learned, x)
	return x
}

func (m *randomModel) width(x *graph.Node) graph.Dim { return x.Shape()[x.Rank()-1] }

func (m *randomModel) pick(list ...func() *graph.Node) *graph.Node { return list[m.IntN(len(list))]() }

// activated is an elementwise function of a value.
func (m *randomModel) activated(x *graph.Node) *graph.Node {
	return m.pick(
		func() *graph.Node { return ops.Relu(x) }, func() *graph.Node { return ops.Gelu(x) }, func() *graph.Node {
			return ops.Tanh(x)
		},
		func() *graph.Node { return ops.Silu(x) }, func() *graph.Node { return ops.Sigmoid(x) }, func() *graph.Node {
			return ops.Softplus(x)
		},
		func() *graph.Node { return ops.Mul(x, ops.Sin(x)) }, func() *graph.Node { return ops.Abs(x) },
		func() *graph.Node { return ops.Clamp(x, -1, 1) },
	)
}

func (m *randomModel) linear(x *graph.Node, out graph.Dim) *graph.Node {
	y := ops.MatMul(x, m.weight(m.width(x), out))
	if m.IntN(3) > 0 {
		y = ops.Add(y, m.weight(out))
	}
	return y
}

func (m *randomModel) normalized(x *graph.Node) *graph.Node {
	d := m.width(x)
	return m.pick(
		func() *graph.Node { return ops.LayerNorm(x, m.weight(d), m.weight(d), 1e-2) },
		func() *graph.Node { return ops.RMSNorm(x, m.weight(d), 1e-2) },
		func() *graph.Node { return ops.Div(x, ops.Add(ops.Norm(x, -1, ops.KeepDims()), m.num(0.5))) },
		func() *graph.Node { return ops.Softmax(x, -1) },
	)
}

// attended has the places of a sequence read each other.
func (m *randomModel) attended(x *graph.Node) *graph.Node {
	d, heads := m.width(x), graph.Dim(1+m.IntN(3))
	const width = 4
	project := func(h graph.Dim) *graph.Node {
		return ops.Transpose(ops.Reshape(ops.MatMul(x, m.weight(d, h*width)), m.b, m.s, h, width), 1, 2)
	}
	q, k, v := project(heads), project(heads), project(heads)
	flat := func(x *graph.Node) *graph.Node {
		return ops.Reshape(x, m.b.Times(heads), x.Shape()[2], x.Shape()[3])
	}
	of := func(x *graph.Node) *graph.Node {
		return ops.Reshape(x, m.b, heads, x.Shape()[1], x.Shape()[2])
	}
	isFlat := m.IntN(2) == 0
	var s *graph.Node
	if isFlat {
		s = ops.MatMul(flat(q), ops.Transpose(flat(k), 1, 2))
	} else {
		s = ops.MatMul(q, ops.Transpose(k, 2, 3))
	}
	if m.IntN(2) == 0 {
		s = ops.Mul(s, m.num(0.5))
	}
	if isFlat && m.IntN(2) == 0 {
		s, isFlat = of(s), false
	}
	switch at := ops.Greater(ops.Iota(m.g, 1, m.s, m.s), ops.Iota(m.g, 0, m.s, m.s)); m.IntN(5) {
	case 0:
		s = ops.MaskedFill(s, at, graph.Num(math.Inf(-1)))
	case 1:
		s = ops.Where(at, m.num(-1e4), s)
	case 2:
		s = ops.Add(s, m.weight(m.s))
	case 3:
		if !isFlat {
			s = ops.Add(s, m.weight(heads, m.s, m.s))
		}
	}
	if !isFlat && m.IntN(3) == 0 {
		s, isFlat = flat(s), true
	}
	w := ops.Softmax(s, -1)
	switch m.IntN(6) {
	case 0:
		w = ops.Sigmoid(s)
	case 1:
		w = ops.Mul(w, ops.Sigmoid(w))
	case 2:
		m.seen = append(m.seen, w)
	case 3:
		if w = ops.Dropout(w, 0.3, m.g.Input(fmt.Sprint("seed", len(m.g.Inputs())), graph.Int64)); m.b.IsSymbolic() {
			m.draws = true
		}
	}
	var y *graph.Node
	if isFlat {
		y = of(ops.MatMul(w, flat(v)))
	} else {
		y = ops.MatMul(w, v)
	}
	return m.linear(ops.Reshape(ops.Transpose(y, 1, 2), m.b, m.s, heads*width), d)
}

// scanned goes over the places of a sequence.
func (m *randomModel) scanned(x *graph.Node) *graph.Node {
	d := m.width(x)
	u, h := m.weight(d, d), ops.Full(m.g, m.dt, 0.1, m.b, d)
	axis := 1
	final, outs := ops.Scan(
		ops.Loop{Carry: []*graph.Node{h}, Over: []*graph.Node{x}, Axis: axis, Reverse: m.IntN(2) == 0},
		func(carry, at []*graph.Node) (next, out []*graph.Node) {
			z := m.activated(ops.Add(at[0], ops.MatMul(carry[0], u)))
			gate := ops.Sigmoid(ops.Add(z, carry[0]))
			z = ops.Add(ops.Mul(gate, z), ops.Mul(ops.Sub(m.num(1), gate), carry[0]))
			return []*graph.Node{z}, []*graph.Node{z}
		})
	if m.IntN(3) == 0 {
		m.seen = append(m.seen, final[0])
	}
	return outs[0]
}

// sequence changes a sequence, which keeps its shape.
func (m *randomModel) sequence(x *graph.Node) *graph.Node {
	d := m.width(x)
	return m.pick(
		func() *graph.Node { return m.normalized(x) },
		func() *graph.Node { return m.attended(x) },
		func() *graph.Node { return m.attended(m.normalized(x)) },
		func() *graph.Node { return m.linear(m.activated(m.linear(x, 2*d+1)), d) },
		func() *graph.Node { return m.scanned(x) },
		func() *graph.Node { return ops.Mul(m.activated(m.linear(x, d)), m.linear(x, d)) },
		func() *graph.Node { // a convolution along places
			y := ops.Conv1D(ops.Transpose(x, 1, 2), m.weight(d, d, 3), m.weight(d), ops.Padding(1))
			return ops.Transpose(y, 1, 2)
		},
		func() *graph.Node { return ops.Div(ops.CumSum(x, 1), m.num(4)) },
		func() *graph.Node { return ops.Roll(x, 1, 1) },
		func() *graph.Node { // gates from the mean of all places
			return ops.Mul(x, ops.Sigmoid(m.linear(ops.Mean(x, 1, ops.KeepDims()), d)))
		},
		func() *graph.Node { return ops.Mul(ops.Softmax(x, 1), x) },
		func() *graph.Node { // halves that are exchanged
			h := d / 2
			return ops.Concat(2, ops.Slice(x, 2, h, d, 1), ops.Neg(ops.Slice(x, 2, 0, h, 1)))
		},
		func() *graph.Node { return ops.Sub(x, ops.Mean(x, 0, 1, ops.KeepDims())) },
		func() *graph.Node { // products of places
			return ops.MatMul(ops.Div(ops.MatMul(x, ops.Transpose(x, 1, 2)), m.num(8)), x)
		},
		func() *graph.Node { return ops.Flip(x, 1) },
		func() *graph.Node { // one half or another function by what it has
			never := ops.Less(ops.Sum(x), m.num(float64(m.IntN(5)-2)))
			return ops.Cond(never, func() []*graph.Node { return []*graph.Node{m.activated(x)} }, func() []*graph.Node {
				return []*graph.Node{m.linear(x, d)}
			})[0]
		},
		func() *graph.Node { // layers with the same weights
			w := m.weight(d, d)
			final, _ := ops.Scan(ops.Loop{Carry: []*graph.Node{x}, Length: graph.Dim(1 + m.IntN(3))},
				func(carry, _ []*graph.Node) (next, out []*graph.Node) {
					y := ops.MatMul(ops.Softmax(ops.MatMul(carry[0], ops.Transpose(carry[0], 1, 2)), -1),
						ops.MatMul(carry[0], w))
					return []*graph.Node{ops.Add(carry[0], ops.Mul(y, m.num(0.3)))}, nil
				})
			return final[0]
		},
		func() *graph.Node { // places that are read in any order, also several times
			at := m.g.Input(fmt.Sprint("places", len(m.g.Inputs())), graph.Int64, m.s)
			return ops.Add(x, ops.IndexSelect(x, 1, ops.FloorDiv(at, graph.Num(2))))
		},
		func() *graph.Node { // sums of places of one kind, for each place
			at := m.g.Input(fmt.Sprint("kinds", len(m.g.Inputs())), graph.Int64, m.s)
			return ops.IndexSelect(ops.SegmentSum(x, 1, at, 2), 1, at)
		},
		func() *graph.Node { // differences of all pairs
			y := ops.Sub(ops.Unsqueeze(x, 2), ops.Unsqueeze(x, 1))
			return ops.Mean(ops.Tanh(y), 2)
		},
		func() *graph.Node { // distances of all pairs as weights
			y := ops.Sum(ops.Square(ops.Sub(ops.Unsqueeze(x, 2), ops.Unsqueeze(x, 1))), 3)
			return ops.MatMul(ops.Softmax(ops.Neg(y), -1), x)
		},
		func() *graph.Node { // attention to a few learned keys
			k := m.weight(3, d)
			return ops.MatMul(ops.Softmax(ops.MatMul(x, ops.Transpose(k, 0, 1)), -1), m.weight(3, d))
		},
		func() *graph.Node { return ops.Einsum("bsd,bte,de->bse", x, x, m.weight(d, d)) },
		func() *graph.Node { // rows of a table
			at := m.g.Input(fmt.Sprint("words", len(m.g.Inputs())), graph.Int64, m.b, m.s)
			return ops.Add(x, ops.Take(m.weight(3, d), 0, at))
		},
	)
}

// image changes an image, of which it may halve the sides.
func (m *randomModel) image(x *graph.Node) *graph.Node {
	c, h := x.Shape()[1], x.Shape()[2]
	out := graph.Dim(2 + m.IntN(5))
	conv := func(out graph.Dim, kernel int, opts ...ops.ConvOption) *graph.Node {
		var bias *graph.Node
		if m.IntN(2) == 0 {
			bias = m.weight(out)
		}
		return ops.Conv2D(x, ops.Mul(m.weight(out, c, graph.Dim(kernel), graph.Dim(kernel)), m.num(0.5)), bias,
			append(opts, ops.Padding(kernel/2))...)
	}
	halved := func(y func() *graph.Node) func() *graph.Node {
		return func() *graph.Node {
			if h < 4 || h%2 > 0 {
				return x
			}
			return y()
		}
	}
	return m.pick(
		func() *graph.Node { return conv(out, 3) }, func() *graph.Node { return conv(out, 1) },
		func() *graph.Node { return ops.Add(x, m.activated(conv(c, 3))) },
		halved(func() *graph.Node { return conv(out, 3, ops.Stride(2)) }),
		halved(func() *graph.Node { return ops.MaxPool2D(x, 2, 2) }),
		halved(func() *graph.Node { return ops.AvgPool2D(x, 2, 2) }),
		func() *graph.Node { // each channel by itself
			return ops.Conv2D(x, m.weight(c, 1, 3, 3), nil, ops.Padding(1), ops.Groups(int(c)))
		},
		func() *graph.Node {
			y, mean, variance := ops.BatchNorm(x, m.weight(c), m.weight(c), 1e-2)
			if m.IntN(2) == 0 {
				m.seen = append(m.seen, mean, variance)
			}
			return y
		},
		func() *graph.Node { return m.activated(x) },
		func() *graph.Node {
			if c%2 > 0 {
				return x
			}
			return ops.GroupNorm(x, 2, m.weight(c), m.weight(c), 1e-2)
		},
		halved(func() *graph.Node {
			y := ops.Conv2D(x, m.weight(out, c, 2, 2), nil, ops.Stride(2))
			return ops.ConvTranspose2D(m.activated(y), m.weight(out, c, 2, 2), nil, ops.Stride(2))
		}),
		func() *graph.Node { return ops.MaxPool2D(x, 3, 3, ops.Stride(1), ops.Padding(1)) },
		func() *graph.Node { return ops.Pad(ops.Slice(x, 3, 1, h, 1), 3, 1, 0, 0) },
		func() *graph.Node {
			gate := ops.Sigmoid(m.linear(ops.Mean(x, 2, 3), c))
			return ops.Mul(x, ops.Reshape(gate, m.b, c, 1, 1))
		},
		func() *graph.Node { return ops.Concat(1, x, m.activated(conv(out, 3))) },
		halved(func() *graph.Node { return ops.ResizeBy(ops.MaxPool2D(x, 2, 2), ops.ResizeNearest, []float64{2, 2}) }),
	)
}

// rows changes rows.
func (m *randomModel) rows(x *graph.Node) *graph.Node {
	d := m.width(x)
	return m.pick(
		func() *graph.Node { return m.activated(m.linear(x, d)) },
		func() *graph.Node { return m.linear(x, graph.Dim(2+m.IntN(9))) },
		func() *graph.Node { return m.normalized(x) },
		func() *graph.Node { // rows that read each other
			return ops.MatMul(ops.Softmax(ops.MatMul(x, ops.Transpose(x, 0, 1)), 1), x)
		},
		func() *graph.Node { return ops.Add(x, ops.Mul(ops.Max(x, 0, ops.KeepDims()), m.num(0.5))) },
		func() *graph.Node { return ops.Mul(x, ops.LogSumExp(x, 1, ops.KeepDims())) },
	)
}

// wrapped changes a value, perhaps beside itself, behind a checkpoint or in a branch.
func (m *randomModel) wrapped(x *graph.Node, change func(*graph.Node) *graph.Node) *graph.Node {
	switch m.IntN(7) {
	case 0:
		return autodiff.Checkpoint(x, change)
	case 1:
		if y := change(x); y.Shape().Equal(x.Shape()) {
			return ops.Add(x, y)
		} else {
			return y
		}
	case 2:
		y := change(x)
		m.seen = append(m.seen, y)
		return y
	}
	return change(x)
}

// outputs are a loss and its gradients.
func (m *randomModel) outputs() []*graph.Node {
	x := m.g.Input("x", m.dt, m.b, m.s, 6)
	if !m.trained {
		m.learned = append(m.learned, x)
	}
	x = m.linear(x, 6)
	for range m.IntN(m.depth) {
		x = m.wrapped(x, m.sequence)
	}
	if s, known := m.s.Int(); known && s > 1 && m.IntN(2) == 0 { // places are channels
		x = ops.Reshape(m.linear(x, 64), m.b, m.s, 8, 8)
		for range m.IntN(m.depth) {
			x = m.wrapped(x, m.image)
		}
		x = m.pick(
			func() *graph.Node { return ops.Mean(x, 2, 3) },
			func() *graph.Node { return ops.Max(ops.Max(x, 3), 2) },
			func() *graph.Node {
				return ops.Mean(ops.Transpose(ops.Reshape(x, m.b, x.Shape()[1], x.Shape()[2].Times(x.Shape()[3])), 1,
					2), 1)
			},
		)
	} else {
		x = m.pick(
			func() *graph.Node { return ops.Mean(x, 1) }, func() *graph.Node { return ops.Max(x, 1) },
			func() *graph.Node { return ops.Select(x, 1, -1) },
			func() *graph.Node { return ops.Sum(ops.Mul(ops.Softmax(m.linear(x, 1), 1), x), 1) },
		)
	}
	for range m.IntN(m.depth) {
		x = m.wrapped(x, m.rows)
	}
	loss := m.pick(
		func() *graph.Node { return ops.Mean(ops.Square(x)) },
		func() *graph.Node { return ops.CrossEntropy(x, m.g.Input("class", graph.Int64, m.b)) },
		func() *graph.Node { return ops.Sum(ops.Div(ops.Square(x), m.num(3))) },
	)
	for _, y := range m.seen {
		loss = ops.Add(loss, ops.Mul(ops.Mean(ops.Square(y)), m.num(0.1)))
	}
	grads := autodiff.Grad(loss, m.learned)
	if params := m.g.Params(); len(params) > 0 {
		rule := []optim.Optimizer{optim.SGD(0.1, optim.Momentum(0.9)), optim.Adam(0.01),
			optim.AdamW(0.01, optim.WeightDecay(0.1))}[m.IntN(3)]
		m.updates = rule.Minimize(loss, params...)
	}
	return append([]*graph.Node{loss}, grads...)
}
