package nn

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// matrices are what a cell multiplies by in a pass: of the input, of the state, transposed, and of what is projected.
type matrices struct{ ih, state, hr *graph.Node }

func (c *Cell) matrices(p *Pass) matrices {
	w := matrices{ih: c.ih.WeightIn(p), state: ops.Transpose(c.hh.WeightIn(p), 0, 1)}
	if c.WeightHR != nil {
		w.hr = c.hr.WeightIn(p)
	}
	return w
}

// inputs is the input's part of the gates.
func (c *Cell) inputs(x *graph.Node, w matrices) *graph.Node {
	bias := c.BiasIH
	if bias != nil && !c.late {
		bias = ops.Add(bias, c.BiasHH)
	}
	return ops.Linear(x, w.ih, bias)
}

// next is the state after a step, of the input's part of the gates.
func (c *Cell) next(gates *graph.Node, w matrices, state []*graph.Node) []*graph.Node {
	h := ops.MatMul(state[0], w.state)
	if c.BiasHH != nil && c.late {
		h = ops.Add(h, c.BiasHH)
	}
	next := c.step(gates, h, state)
	if w.hr != nil {
		next[0] = ops.Linear(next[0], w.hr, nil)
	}
	return next
}

// RecurrentCell is a layer of one step of a sequence: those of [NewRNNCell], [NewLSTMCell], [NewGRUCell] and
// [NewMGUCell].
type RecurrentCell struct {
	declared
	*Cell
	hidden graph.Dim
	states int
	dtype  graph.DType
}

const cellOptions = "WeightInit BiasInit NoBias WeightNorm SpectralNorm DType"

// NewRNNCell declares a single step of [NewRNN], with the parameters name.weight_ih, name.weight_hh, name.bias_ih and
// name.bias_hh, like PyTorch's RNNCell. Options are [Activation], by default the hyperbolic tangent, [WeightInit],
// [BiasInit], [NoBias], [WeightNorm] and [SpectralNorm] for weight_ih, weight_hh or both, and [DType].
func NewRNNCell[In, Hidden Size](g *graph.Graph, name string, in In, hidden Hidden, opts ...Option) *RecurrentCell {
	opts = append([]Option{Activation(ops.Tanh)}, opts...)
	return newRecurrentCell(g, "RNNCell", name, graph.Dim(in), graph.Dim(hidden), kindRNN, opts,
		cellOptions+" Activation")
}

// NewLSTMCell declares a step of [NewLSTM], like PyTorch's LSTMCell. Parameters and options are those of [NewRNNCell]
// except [Activation].
func NewLSTMCell[In, Hidden Size](g *graph.Graph, name string, in In, hidden Hidden, opts ...Option) *RecurrentCell {
	return newRecurrentCell(g, "LSTMCell", name, graph.Dim(in), graph.Dim(hidden), kindLSTM, opts, cellOptions)
}

// NewGRUCell declares a step of [NewGRU], like PyTorch's GRUCell. Parameters and options are those of [NewRNNCell]
// except [Activation].
func NewGRUCell[In, Hidden Size](g *graph.Graph, name string, in In, hidden Hidden, opts ...Option) *RecurrentCell {
	return newRecurrentCell(g, "GRUCell", name, graph.Dim(in), graph.Dim(hidden), kindGRU, opts, cellOptions)
}

// NewMGUCell declares a step of [NewMGU], like Flax's MGUCell. Parameters and options are those of [NewRNNCell]
// except [Activation].
func NewMGUCell[In, Hidden Size](g *graph.Graph, name string, in In, hidden Hidden, opts ...Option) *RecurrentCell {
	return newRecurrentCell(g, "MGUCell", name, graph.Dim(in), graph.Dim(hidden), kindMGU, opts, cellOptions)
}

func newRecurrentCell(g *graph.Graph, word, name string, in, hidden graph.Dim, k kind, opts []Option,
	has string) *RecurrentCell {
	l := &RecurrentCell{states: k.states, Cell: &Cell{}}
	l.declared = declare(g, word, name, opts, has, func(s *settings) {
		l.dtype = s.dtype
		in, hidden := s.size("in", in), s.size("hidden", hidden)
		l.hidden = hidden
		l.Cell = newCell(g, s, k, "", graph.Dim(k.gates).Times(hidden), in, hidden, hidden)
	})
	return l
}

// Apply takes x, [batch, in], or [in] for a single example, and returns the hidden state, [batch, hidden] or
// [hidden], after a step from a zero state.
func (l *RecurrentCell) Apply(p *Pass, x *graph.Node) *graph.Node { return l.ApplyFrom(p, x)[0] }

// ApplyFrom is Apply from a given state, or from zeros if none is given, and returns the state after the step: the
// hidden state and, for an LSTM, the cell state, each [batch, hidden], or [hidden] for a single example.
func (l *RecurrentCell) ApplyFrom(p *Pass, x *graph.Node, state ...*graph.Node) (next []*graph.Node) {
	single, batch := x != nil && x.Judged() && x.Rank() == 1, "batch "
	if single {
		batch = ""
	}
	args, sizes := argumentOf(x, batch+"in"), map[string]graph.Dim{"hidden": l.hidden}
	for i, s := range state {
		args = append(args, argument{fmt.Sprintf("state %d", i), s, batch + "hidden"})
	}
	if l.WeightIH != nil {
		sizes["in"] = l.WeightIH.Shape()[1]
	}
	y := l.apply(p, args, sizes, batch+"hidden", func(in []*graph.Node) *graph.Node {
		x, begin := in[0], in[1:]
		for i, v := range in {
			if l.g.Autocasted(v.DType()) != l.g.Autocasted(l.dtype) {
				return unbuilt("ApplyFrom", fmt.Sprintf(
					"%s is %s, but the parameters are %s: convert it with ops.Cast, or declare the layer with nn.DType",
					args[i].name, v.DType(), l.dtype), v)
			}
		}
		switch {
		case x.Rank() != 2 && !single || !x.Judged():
			return x // the contract refuses it
		case len(begin) == 0:
			for range l.states {
				begin = append(begin,
					ops.Zeros(x.Graph(), x.DType(), append(slices.Clone(x.Shape()[:x.Rank()-1]), l.hidden)...))
			}
		case len(begin) != l.states:
			return unbuilt("ApplyFrom", fmt.Sprintf("got %d states, but the cell has %d", len(begin), l.states), x)
		}
		w := l.matrices(p)
		next = l.next(l.inputs(x, w), w, begin)
		return next[0]
	})
	if len(next) == l.states {
		next[0] = y
		return next
	}
	next = nil
	for range max(l.states, 1) {
		next = append(next, y) // a refusal
	}
	return next
}
