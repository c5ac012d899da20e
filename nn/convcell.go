package nn

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// ConvLSTMCell is a step of an LSTM whose inputs and states are images, without peephole connections. Source: Shi and
// others, Convolutional LSTM Network: A Machine Learning Approach for Precipitation Nowcasting, 2015.
type ConvLSTMCell struct {
	declared
	WeightIH *graph.Node // [4·hidden, in, kernel, kernel]
	WeightHH *graph.Node // [4·hidden, hidden, kernel, kernel]
	Bias     *graph.Node // [4·hidden], or nil
	ih, hh   Weighted    // of which these are the weights
	in       graph.Dim
	hidden   graph.Dim
}

// NewConvLSTMCell declares a step for sequences of images, [N, in, H, W], with states [N, hidden, H, W]. Windows of
// kernel × kernel elements keep the sizes of the images. The parameters are name.weight_ih, name.weight_hh and
// name.bias, with gates in the order of [NewLSTMCell] and the initial values of [NewConv2D]. Options are
// [WeightInit], [BiasInit], [NoBias], [WeightNorm] and [SpectralNorm] for weight_ih, weight_hh or both, and [DType].
func NewConvLSTMCell[In, Hidden Size](g *graph.Graph, name string, in In, hidden Hidden, kernel int,
	opts ...Option) *ConvLSTMCell {
	l := &ConvLSTMCell{}
	l.declared = declare(g, "ConvLSTMCell", name, opts, cellOptions, func(s *settings) {
		l.in, l.hidden = s.size("in", graph.Dim(in)), s.size("hidden", graph.Dim(hidden))
		gates, k := l.hidden.Times(4), s.size("kernel", graph.Dim(kernel))
		l.ih = s.newNamedWeight(g, "weight_ih", torchWeight(), 0, gates, l.in, k, k)
		l.hh = s.newNamedWeight(g, "weight_hh", torchWeight(), 0, gates, l.hidden, k, k)
		l.WeightIH, l.WeightHH = l.ih.Weight, l.hh.Weight
		l.Bias = s.newBias(g, l.ih.shape(), gates)
	})
	return l
}

// Apply takes x, [N, in, H, W], and returns the hidden state, [N, hidden, H, W], after a step from zeros.
func (l *ConvLSTMCell) Apply(p *Pass, x *graph.Node) *graph.Node { return l.ApplyFrom(p, x)[0] }

// ApplyFrom is Apply from the given hidden state and cell state, each [N, hidden, H, W], or from zeros if none is
// given. It returns both states after the step.
func (l *ConvLSTMCell) ApplyFrom(p *Pass, x *graph.Node, state ...*graph.Node) (next []*graph.Node) {
	args := argumentOf(x, "n in h w")
	for i, s := range state {
		args = append(args, argument{fmt.Sprintf("state %d", i), s, "n hidden h w"})
	}
	var memory *graph.Node
	y := l.apply(p, args, map[string]graph.Dim{"in": l.in, "hidden": l.hidden}, "n hidden h w",
		func(in []*graph.Node) *graph.Node {
			x, before := in[0], in[1:]
			if len(before) != 0 && len(before) != 2 {
				return unbuilt("ApplyFrom", fmt.Sprintf("got %d states, but the cell has 2", len(before)), x)
			}
			gates := ops.Conv2D(x, l.ih.WeightIn(p), l.Bias, ops.SamePadding())
			if len(before) == 2 {
				gates = ops.Add(gates, ops.Conv2D(before[0], l.hh.WeightIn(p), nil, ops.SamePadding()))
			}
			if !gates.Judged() || gates.Err() != nil {
				return gates
			}
			part := func(i int) *graph.Node { return ops.Narrow(gates, 1, l.hidden.Times(graph.Dim(i)), l.hidden) }
			memory = ops.Mul(ops.Sigmoid(part(0)), ops.Tanh(part(2)))
			if len(before) == 2 {
				memory = ops.Add(ops.Mul(ops.Sigmoid(part(1)), before[1]), memory)
			}
			return ops.Mul(ops.Sigmoid(part(3)), ops.Tanh(memory))
		})
	if memory == nil {
		memory = y // a refusal
	}
	return []*graph.Node{y, memory}
}
