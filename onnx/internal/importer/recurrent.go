package importer

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

func init() {
	join(map[string]rule{
		"RNN":  func(c *call) []node { return c.recurrent(1, 1, []string{"Tanh"}, stepRNN) },
		"GRU":  func(c *call) []node { return c.recurrent(3, 1, []string{"Sigmoid", "Tanh"}, stepGRU) },
		"LSTM": func(c *call) []node { return c.recurrent(4, 2, []string{"Sigmoid", "Tanh", "Tanh"}, stepLSTM) },
	})
}

// direction is what a recurrent operator computes in one direction.
type direction struct {
	w, r       node // transposed: [in, gates·hidden] and [hidden, gates·hidden]
	wb, rb     node // [gates·hidden]
	peepholes  []node
	hidden     int
	activation []func(x node) node
	clip       float64
	late       bool // GRU's linear_before_reset
	coupled    bool // LSTM's input_forget
}

// gate is the part of a number of values that belongs to one gate.
func (d direction) gate(x node, i int) node {
	return ops.Narrow(x, -1, graph.Dim(i*d.hidden), graph.Dim(d.hidden))
}

// act bounds what goes into an activation, and computes it.
func (d direction) act(i int, x node) node {
	if d.clip > 0 {
		x = ops.Clamp(x, -d.clip, d.clip)
	}
	return d.activation[i](x)
}

// ofInputs is the inputs' part of the gates, for all steps: [time, batch, gates·hidden].
func (d direction) ofInputs(x node) node { return ops.Add(ops.MatMul(x, d.w), d.wb) }

// ofState is the state's part of the gates, [batch, gates·hidden].
func (d direction) ofState(h node) node { return ops.Add(ops.MatMul(h, d.r), d.rb) }

func stepRNN(d direction, a node, state []node) []node {
	b := d.ofState(state[0])
	return []node{d.act(0, ops.Add(a, b))}
}

// stepGRU has its gates in the order z, r and h.
func stepGRU(d direction, a node, state []node) []node {
	b := d.ofState(state[0])
	gate := func(i int) node { return d.act(0, ops.Add(d.gate(a, i), d.gate(b, i))) }
	z, r := gate(0), gate(1)
	ofState := ops.Mul(r, d.gate(b, 2))
	if !d.late {
		ofState = ops.Add(ops.MatMul(ops.Mul(r, state[0]), d.gate(d.r, 2)), d.gate(d.rb, 2))
	}
	h := d.act(1, ops.Add(d.gate(a, 2), ofState))
	return []node{ops.Add(ops.Mul(ops.Sub(whole(1), z), h), ops.Mul(z, state[0]))}
}

// stepLSTM has its gates in the order i, o, f and c, and peepholes in the order i, o and f.
func stepLSTM(d direction, a node, state []node) []node {
	b := d.ofState(state[0])
	in := func(gate, peephole int, c node) node {
		sum := ops.Add(d.gate(a, gate), d.gate(b, gate))
		if peephole < len(d.peepholes) {
			sum = ops.Add(sum, ops.Mul(d.peepholes[peephole], c))
		}
		return sum
	}
	none := len(d.peepholes)
	i, f := d.act(0, in(0, 0, state[1])), d.act(0, in(2, 2, state[1]))
	if d.coupled {
		f = ops.Sub(whole(1), i)
	}
	c := ops.Add(ops.Mul(f, state[1]), ops.Mul(i, d.act(1, in(3, none, nil))))
	return []node{ops.Mul(d.act(0, in(1, 1, c)), d.activation[2](c)), c}
}

// recurrent computes sequences, [time, batch, in], in one direction or in both.
func (c *call) recurrent(gates, states int, usual []string,
	step func(d direction, a node, state []node) []node) []node {
	x, isBatchFirst := c.in(0), c.int("layout", 0) == 1
	swapped := func(x node) node {
		if isBatchFirst && x != nil {
			return ops.Transpose(x, 0, 1)
		}
		return x
	}
	x = swapped(x)
	t, batch, hidden := x.Shape()[0], x.Shape()[1], c.int("hidden_size", 0)
	activations := c.activations(usual)
	var all, final [][]node
	for i, reverse := range map[string][]bool{
		"forward": {false}, "reverse": {true}, "bidirectional": {false, true}}[c.text("direction", "forward")] {
		d := direction{hidden: hidden, clip: c.float("clip", 0), late: c.int("linear_before_reset", 0) == 1,
			coupled: c.int("input_forget", 0) == 1}
		of := func(at int) node { return ops.Select(c.in(at), 0, graph.Dim(i)) }
		d.w, d.r = ops.Transpose(of(1), 0, 1), ops.Transpose(of(2), 0, 1)
		d.wb, d.rb = ops.Zeros(c.g, x.DType(), graph.Dim(gates*hidden)),
			ops.Zeros(c.g, x.DType(), graph.Dim(gates*hidden))
		if c.at(3) != nil {
			parts := ops.Chunk(of(3), 0, 2)
			d.wb, d.rb = parts[0], parts[1]
		}
		if c.at(7) != nil {
			d.peepholes = ops.Chunk(of(7), 0, 3)
		}
		d.activation = activations[i*len(usual):]
		var begin []node
		for s := range states {
			if first := swapped(c.at(5 + s)); first != nil {
				begin = append(begin, ops.Select(first, 0, graph.Dim(i)))
			} else {
				begin = append(begin, ops.Zeros(c.g, x.DType(), batch, graph.Dim(hidden)))
			}
		}
		last, out := ops.Scan(
			ops.Loop{Carry: begin, Over: []node{d.ofInputs(x), ops.Iota(c.g, 0, t)}, Reverse: reverse},
			func(state, at []node) (next, out []node) {
				next = step(d, at[0], state)
				y := next[0]
				if lengths := c.at(4); lengths != nil { // behind its end a sequence stays as it is, and gives zeros
					goesOn := ops.Unsqueeze(ops.Less(at[1], lengths), 1)
					for k := range next {
						next[k] = ops.Where(goesOn, next[k], state[k])
					}
					y = ops.Where(goesOn, y, whole(0))
				}
				return next, []node{y}
			})
		all, final = append(all, out), append(final, last)
	}
	results := []node{joinDirections(all, 0, 1)}
	if isBatchFirst {
		results[0] = ops.Permute(results[0], 2, 0, 1, 3)
	}
	for s := range states {
		results = append(results, swapped(joinDirections(final, s, 0)))
	}
	return results
}

// joinDirections stacks one result of all directions along an axis.
func joinDirections(of [][]node, i, axis int) node {
	var list []node
	for _, values := range of {
		list = append(list, values[i])
	}
	return ops.Stack(axis, list...)
}

// activations are those of the attributes, or the usual ones for each direction.
func (c *call) activations(usual []string) (list []func(x node) node) {
	names := c.texts("activations", slices.Concat(usual, usual)...)
	alpha, beta := c.numbers("activation_alpha"), c.numbers("activation_beta")
	next := func(numbers *[]float64, usual float64) float64 {
		if len(*numbers) == 0 {
			return usual
		}
		v := (*numbers)[0]
		*numbers = (*numbers)[1:]
		return v
	}
	for _, name := range names {
		switch name {
		case "Sigmoid":
			list = append(list, ops.Sigmoid)
		case "Tanh":
			list = append(list, ops.Tanh)
		case "Relu":
			list = append(list, ops.Relu)
		case "Softsign":
			list = append(list, ops.Softsign)
		case "LeakyRelu":
			slope := next(&alpha, 0.01)
			list = append(list, func(x node) node { return ops.LeakyRelu(x, slope) })
		case "HardSigmoid":
			slope, at0 := next(&alpha, 0.2), next(&beta, 0.5)
			list = append(list, func(x node) node {
				return ops.Clamp(ops.Add(ops.Mul(x, graph.Num(slope)), graph.Num(at0)), 0, 1)
			})
		case "Affine":
			slope, at0 := next(&alpha, 1), next(&beta, 0)
			list = append(list, func(x node) node { return ops.Add(ops.Mul(x, graph.Num(slope)), graph.Num(at0)) })
		case "Elu":
			low := next(&alpha, 1)
			list = append(list, func(x node) node { return ops.Elu(x, low) })
		case "ScaledTanh":
			by, inner := next(&alpha, 1), next(&beta, 1)
			list = append(list, func(x node) node {
				return ops.Mul(ops.Tanh(ops.Mul(x, graph.Num(inner))), graph.Num(by))
			})
		case "Softplus":
			list = append(list, ops.Softplus)
		case "ThresholdedRelu":
			above := next(&alpha, 1)
			list = append(list, func(x node) node { return ops.Threshold(x, above, 0) })
		default:
			refuse("the activation %s is unknown", name)
		}
	}
	return list
}
