package nn

import (
	"fmt"
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Recurrent is a stack of recurrent layers: those of [NewRNN], [NewLSTM], [NewGRU] and [NewMGU].
type Recurrent struct {
	declared
	Cells    [][]*Cell // by layer, and by direction
	hidden   graph.Dim
	width    graph.Dim // of the hidden state: hidden, unless it is projected
	states   int       // of a cell: 1, or 2 of an LSTM
	settings settings
}

// Cell is a single layer in one direction.
type Cell struct {
	// [gates·hidden, in] and [gates·hidden, hidden]; with a projected state [gates·hidden, projection]
	WeightIH, WeightHH *graph.Node
	WeightHR           *graph.Node // [projection, hidden], or nil
	BiasIH, BiasHH     *graph.Node // [gates·hidden], or nil
	ih, hh, hr         Weighted    // the weights, which may be normalized
	step               step
	late               bool // BiasHH is added in each step, since what it is part of is multiplied there
}

// step computes the next state of a cell from the input's part and the hidden state's part of its
// gates, [batch, gates·hidden] or [gates·hidden], and from the state.
type step func(x, h *graph.Node, state []*graph.Node) (next []*graph.Node)

const recurrentOptions = "Layers Bidirectional TimeFirst DropoutRate WeightInit BiasInit NoBias WeightNorm SpectralNorm DType"

// NewRNN declares layers of h' = tanh(weight_ih·x + bias_ih + weight_hh·h + bias_hh), like PyTorch's RNN with
// batch_first. The parameters are name.weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0 and so on, with "_reverse"
// appended for the backward direction. Initial values are uniform between ±1/√hidden, unless [WeightInit] and
// [BiasInit] set others. Other options are [Layers], [Bidirectional], [TimeFirst], [DropoutRate] for the outputs of
// each layer but the last, [Activation], by default the hyperbolic tangent, [NoBias], [WeightNorm] and [SpectralNorm]
// for all weights or those that are named, and [DType].
func NewRNN[In, Hidden Size](g *graph.Graph, name string, in In, hidden Hidden, opts ...Option) *Recurrent {
	opts = append([]Option{Activation(ops.Tanh)}, opts...)
	return newRecurrent(g, "RNN", name, graph.Dim(in), graph.Dim(hidden), kindRNN, opts, recurrentOptions+" Activation")
}

// NewLSTM declares layers of long short-term memory (Hochreiter and Schmidhuber, 1997), like PyTorch's LSTM with
// batch_first. The parameters are named as in [NewRNN]; they hold the gates i, f, g and o in this order:
//
//	c' = sigmoid(f)·c + sigmoid(i)·tanh(g)
//	h' = sigmoid(o)·tanh(c')
//
// Options are those of [NewRNN] except [Activation], and [ProjSize].
func NewLSTM[In, Hidden Size](g *graph.Graph, name string, in In, hidden Hidden, opts ...Option) *Recurrent {
	return newRecurrent(g, "LSTM", name, graph.Dim(in), graph.Dim(hidden), kindLSTM, opts, recurrentOptions+" ProjSize")
}

func stepLSTM(x, h *graph.Node, state []*graph.Node) []*graph.Node {
	gates := ops.Chunk(ops.Add(x, h), -1, 4)
	c := ops.Add(ops.Mul(ops.Sigmoid(gates[1]), state[1]), ops.Mul(ops.Sigmoid(gates[0]), ops.Tanh(gates[2])))
	return []*graph.Node{ops.Mul(ops.Sigmoid(gates[3]), ops.Tanh(c)), c}
}

// NewGRU declares layers of gated recurrent units (Cho and others, 2014), like PyTorch's GRU with batch_first. The
// parameters are named as in [NewRNN]; they hold the gates r, z and n in this order:
//
//	n' = tanh(n_ih + sigmoid(r)·n_hh)
//	h' = (1 - sigmoid(z))·n' + sigmoid(z)·h
//
// Options are those of [NewRNN] except [Activation].
func NewGRU[In, Hidden Size](g *graph.Graph, name string, in In, hidden Hidden, opts ...Option) *Recurrent {
	return newRecurrent(g, "GRU", name, graph.Dim(in), graph.Dim(hidden), kindGRU, opts, recurrentOptions)
}

func stepGRU(x, h *graph.Node, state []*graph.Node) []*graph.Node {
	gx, gh := ops.Chunk(x, -1, 3), ops.Chunk(h, -1, 3)
	r, z := ops.Sigmoid(ops.Add(gx[0], gh[0])), ops.Sigmoid(ops.Add(gx[1], gh[1]))
	n := ops.Tanh(ops.Add(gx[2], ops.Mul(r, gh[2])))
	return []*graph.Node{ops.Add(n, ops.Mul(z, ops.Sub(state[0], n)))} // (1-z)·n + z·h
}

// NewMGU declares layers of minimal gated units (Zhou and others, Minimal Gated Unit for Recurrent Neural Networks,
// 2016), with the formulas of Flax's MGUCell. The parameters are named as in [NewRNN]; they hold the gates f and n in
// this order:
//
//	n' = tanh(n_ih + sigmoid(f)·n_hh)
//	h' = (1 - sigmoid(f))·n' + sigmoid(f)·h
//
// Options are those of [NewRNN] except [Activation].
func NewMGU[In, Hidden Size](g *graph.Graph, name string, in In, hidden Hidden, opts ...Option) *Recurrent {
	return newRecurrent(g, "MGU", name, graph.Dim(in), graph.Dim(hidden), kindMGU, opts, recurrentOptions)
}

func stepMGU(x, h *graph.Node, state []*graph.Node) []*graph.Node {
	gx, gh := ops.Chunk(x, -1, 2), ops.Chunk(h, -1, 2)
	f := ops.Sigmoid(ops.Add(gx[0], gh[0]))
	n := ops.Tanh(ops.Add(gx[1], ops.Mul(f, gh[1])))
	return []*graph.Node{ops.Add(n, ops.Mul(f, ops.Sub(state[0], n)))} // (1-f)·n + f·h
}

// kind is what recurrent layers differ in.
type kind struct {
	gates, states int
	late          bool // see [Cell]
	step          func(s *settings) step
}

var (
	kindRNN = kind{gates: 1, states: 1, step: func(s *settings) step {
		return func(x, h *graph.Node, _ []*graph.Node) []*graph.Node {
			return []*graph.Node{s.activation(ops.Add(x, h))}
		}
	}}
	kindLSTM = kind{gates: 4, states: 2, step: func(*settings) step { return stepLSTM }}
	kindGRU  = kind{gates: 3, states: 1, late: true, step: func(*settings) step { return stepGRU }}
	kindMGU  = kind{gates: 2, states: 1, late: true, step: func(*settings) step { return stepMGU }}
)

func newRecurrent(g *graph.Graph, word, name string, in, hidden graph.Dim, k kind, opts []Option,
	has string) *Recurrent {
	l := &Recurrent{states: k.states}
	opts = append([]Option{Layers(1)}, opts...)
	l.declared = declare(g, word, name, opts, has, func(s *settings) {
		in, hidden := s.size("in", in), s.size("hidden", hidden)
		l.settings, l.hidden, l.width = *s, hidden, hidden
		if s.layers < 1 || s.layers > maxLayers {
			s.layer.refuse(fmt.Sprintf("the number of layers is %d; it must be from 1 to %d", s.layers, maxLayers))
			l.settings.layers = 1
		}
		if size := s.projection; size != nil {
			if n := *size; n < 1 || n >= known(g, hidden) && !hidden.IsUnknown() {
				s.layer.refuse(
					fmt.Sprintf("the state is projected to %d elements; this must be at least 1 and less than its %s",
						n, hidden))
				*size = 1
			}
			l.width = graph.Dim(*size)
		}
		directions := []string{""}
		if s.bidirectional {
			directions = append(directions, "_reverse")
		}
		rows, width := graph.Dim(k.gates).Times(hidden), in
		for layer := range l.settings.layers {
			var cells []*Cell
			for _, direction := range directions {
				cells = append(cells,
					newCell(g, s, k, fmt.Sprintf("_l%d%s", layer, direction), rows, width, hidden, l.width))
			}
			l.Cells = append(l.Cells, cells)
			width = graph.Dim(len(directions)).Times(l.width)
		}
	})
	return l
}

func newCell(g *graph.Graph, s *settings, k kind, suffix string, rows, in, hidden, state graph.Dim) *Cell {
	bound := 1 / math.Sqrt(float64(known(g, hidden)))
	weight, bias := Uniform(-bound, bound), or(s.bias, Uniform(-bound, bound))
	c := &Cell{step: k.step(s), late: k.late}
	c.ih = s.newNamedWeight(g, "weight_ih"+suffix, weight, 0, rows, in)
	c.hh = s.newNamedWeight(g, "weight_hh"+suffix, weight, 0, rows, state)
	if !s.noBias {
		c.BiasIH = g.ParamInit("bias_ih"+suffix, s.dtype, bias, rows)
		c.BiasHH = g.ParamInit("bias_hh"+suffix, s.dtype, bias, rows)
	}
	if s.projection != nil {
		c.hr = s.newNamedWeight(g, "weight_hr"+suffix, weight, 0, state, hidden)
	}
	c.WeightIH, c.WeightHH, c.WeightHR = c.ih.Weight, c.hh.Weight, c.hr.Weight
	return c
}

// Apply takes x, [batch, t, in], and returns the hidden states of the last layer, [batch, t, directions·hidden]; with
// [TimeFirst] the first two axes are exchanged. For a single sequence without a batch axis, [t, in], the result is [t,
// directions·hidden]. Initial states are zeros.
//
// Sequences may have no steps, so that input in parts may have empty parts: states then do not change. PyTorch rejects
// them.
func (l *Recurrent) Apply(p *Pass, x *graph.Node) *graph.Node {
	y, _ := l.ApplyFrom(p, x)
	return y
}

// ApplyFrom is Apply from the given states. It also returns the states after the last step: the hidden state and, for
// an LSTM, the cell state, each [layers·directions, batch, hidden], or [layers·directions, hidden] for a single
// sequence; with [ProjSize] the hidden state has that size. To generate text, apply it to one step after the other.
func (l *Recurrent) ApplyFrom(p *Pass, x *graph.Node, state ...*graph.Node) (y *graph.Node, final []*graph.Node) {
	single := x != nil && x.Judged() && x.Rank() == 2
	return l.applied("ApplyFrom", p, []argument{{"x", x, l.form("in", single)}}, state, single)
}

// ApplyPadded is ApplyFrom for sequences of different lengths, like PyTorch with pack_padded_sequence and
// enforce_sorted=False. lengths, Int64 or Int32 [batch], are from 1 to t, as in PyTorch; elements of x beyond them
// are not read. The backward direction starts at each sequence's own end, y is 0 beyond it, and final states are
// those after its own last step. A length out of range stops the run.
func (l *Recurrent) ApplyPadded(p *Pass, x, lengths *graph.Node, state ...*graph.Node) (y *graph.Node,
	final []*graph.Node) {
	return l.applied("ApplyPadded", p, []argument{{"x", x, l.form("in", false)}, {"lengths", lengths, "batch"}}, state,
		false)
}

// form is that of sequences, or of a single one.
func (l *Recurrent) form(elements string, single bool) string {
	switch {
	case single:
		return "t " + elements
	case l.settings.timeFirst:
		return "t batch " + elements
	}
	return "batch t " + elements
}

// applied is both: args are x and, of padded sequences, their lengths. A single sequence has no axis of the batch.
func (l *Recurrent) applied(fn string, p *Pass, args []argument, state []*graph.Node, single bool) (y *graph.Node,
	final []*graph.Node) {
	first, sizes, cells := len(args), map[string]graph.Dim{"hidden": l.hidden}, "cells batch "
	if single {
		cells = "cells "
	}
	for i, s := range state {
		form := cells + "hidden"
		if i == 0 && l.width != l.hidden {
			form = cells + "projection"
		}
		args = append(args, argument{fmt.Sprintf("state %d", i), s, form})
	}
	if len(l.Cells) > 0 {
		sizes["in"], sizes["projection"] = l.Cells[0][0].WeightIH.Shape()[1], l.width
		sizes["cells"] = graph.Dim(len(l.Cells) * len(l.Cells[0]))
		sizes["out"] = graph.Dim(len(l.Cells[0])).Times(l.width)
	}
	y = l.apply(p, args, sizes, l.form("out", single), func(in []*graph.Node) *graph.Node {
		if in[0].Rank() != 3 && !single {
			return in[0] // the contract refuses it
		}
		if len(state) != 0 && len(state) != l.states {
			return unbuilt(fn, fmt.Sprintf("got %d states, but the layer has %d", len(state), l.states), in[0])
		}
		var lengths *graph.Node
		of := in[0].DType()
		for i, x := range in {
			switch t := l.settings.dtype; {
			case i > 0 && i < first:
				if !x.DType().IsInt() || x.Rank() != 1 {
					return unbuilt(
						fn,
						fmt.Sprintf(
							"lengths must be whole numbers, one for each sequence, but these are %s%s: use ops.Cast(lengths, graph.Int64)",
							x.DType(), x.Shape()), x)
				}
				lengths = x
			case l.g.Autocasted(x.DType()) != l.g.Autocasted(t):
				help := "convert it with ops.Cast, or declare the layer with nn.DType"
				return unbuilt(fn, fmt.Sprintf("%s is %s, but the parameters are %s: %s", args[i].name, x.DType(), t,
					help), x)
			default:
				in[i] = ops.Cast(x, t) // in mixed precision, states stay as precise as parameters
			}
		}
		if single {
			y, final = l.runSingle(p, in[0], in[first:])
		} else {
			y, final = l.run(p, in[0], lengths, in[first:])
		}
		return ops.Cast(y, of)
	})
	for len(final) < l.states {
		final = append(final, y) // a refusal
	}
	return y, final
}

// runSingle is run of a batch of one sequence, whose axis is left out.
func (l *Recurrent) runSingle(p *Pass, x *graph.Node, state []*graph.Node) (y *graph.Node, final []*graph.Node) {
	batch := 0
	if l.settings.timeFirst {
		batch = 1
	}
	states := make([]*graph.Node, len(state))
	for i, s := range state {
		states[i] = ops.Unsqueeze(s, 1)
	}
	y, final = l.run(p, ops.Unsqueeze(x, batch), nil, states)
	for i, s := range final {
		final[i] = ops.Squeeze(s, 1)
	}
	return ops.Squeeze(y, batch), final
}

// run applies the layers, with the axis of time first.
func (l *Recurrent) run(p *Pass, x, lengths *graph.Node, state []*graph.Node) (y *graph.Node, final []*graph.Node) {
	if y = x; !l.settings.timeFirst {
		y = ops.Transpose(x, 0, 1)
	}
	batch, g := y.Shape()[1], x.Graph()
	last := make([][]*graph.Node, l.states) // of each cell
	var within *graph.Node                  // whether a place is one of its sequence's, [t, batch, 1]
	if lengths != nil {
		within = isWithin(lengths, y.Shape()[0])
		y = ops.Where(within, y, ops.Zeros(g, x.DType())) // what stands there may be no number
	}
	for layer, cells := range l.Cells {
		if layer > 0 {
			y = Dropout(l.settings.dropout).Apply(p, y)
		}
		outs := make([]*graph.Node, len(cells))
		for direction, c := range cells {
			begin := make([]*graph.Node, l.states)
			for i := range begin {
				switch {
				case len(state) > 0:
					begin[i] = ops.Select(state[i], 0, graph.Dim(len(last[i])))
				case i == 0:
					begin[i] = ops.Zeros(g, x.DType(), batch, l.width)
				default:
					begin[i] = ops.Zeros(g, x.DType(), batch, l.hidden)
				}
			}
			var end []*graph.Node
			outs[direction], end = c.scan(y, within, begin, c.matrices(p), direction == 1)
			for i, s := range end {
				last[i] = append(last[i], s)
			}
		}
		y = ops.Concat(2, outs...)
	}
	for _, list := range last {
		final = append(final, ops.Stack(0, list...))
	}
	if !l.settings.timeFirst {
		y = ops.Transpose(y, 0, 1)
	}
	return y, final
}

// isWithin reports of each of t places of each sequence whether it is one of its length, [t, batch, 1].
func isWithin(lengths *graph.Node, t graph.Dim) *graph.Node {
	g := lengths.Graph()
	lengths = ops.Cast(lengths, graph.Int64)
	isLength := ops.And(ops.GreaterEqual(lengths, graph.Num(1)), ops.LessEqual(lengths, ops.Size(g, graph.Int64, t)))
	lengths = ops.Assert(lengths, isLength, "the length of a sequence must be from 1 to the number of steps")
	return ops.Less(ops.Iota(g, 0, t, 1, 1), ops.Unsqueeze(lengths, 1)).Silence(graph.CodeMutualExpand)
}

// scan visits the steps of x, [t, batch, in]. The input's part of the gates is one product for all steps. A sequence
// keeps its state at positions that are not within it.
func (c *Cell) scan(x, within *graph.Node, begin []*graph.Node, w matrices, reverse bool) (y *graph.Node,
	end []*graph.Node) {
	over := []*graph.Node{c.inputs(x, w)}
	if within != nil {
		over = append(over, within)
	}
	end, all := ops.Scan(ops.Loop{Carry: begin, Over: over, Reverse: reverse},
		func(state, x []*graph.Node) (next, out []*graph.Node) {
			next = c.next(x[0], w, state)
			for i, s := range state {
				next[i] = ops.Cast(next[i], s.DType())
			}
			if within == nil {
				return next, next[:1]
			}
			out = []*graph.Node{ops.Where(x[1], next[0], ops.ZerosLike(next[0]))}
			for i, s := range state {
				next[i] = ops.Where(x[1], next[i], s)
			}
			return next, out
		})
	return all[0], end
}
