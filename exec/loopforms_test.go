package exec_test

import (
	"math"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// looping is how programs make loops: as such, or step by step.
type looping struct {
	g    *graph.Graph
	dt   graph.DType
	scan func(l ops.Loop, body func(carry, x nodes) (next, out nodes)) (final, outs nodes)
	fori func(n int, carry nodes, body func(i *graph.Node, carry nodes) nodes) nodes
	// while takes its condition for values of which another step changes nothing that matters.
	while func(max int, carry nodes, cond func(carry nodes) *graph.Node,
		body func(step *graph.Node, carry nodes) nodes) nodes
	cond func(is *graph.Node, then, otherwise func() nodes) nodes
}

// compiledLoops are loops; the steps of while are dropped.
func compiledLoops(g *graph.Graph, dt graph.DType) *looping {
	return &looping{g, dt, ops.Scan,
		func(n int, carry nodes, body func(i *graph.Node, carry nodes) nodes) nodes {
			return ops.Fori(graph.Dim(n), carry, body)
		},
		func(max int, carry nodes, cond func(carry nodes) *graph.Node,
			body func(step *graph.Node, carry nodes) nodes) nodes {
			final, _ := ops.While(graph.Dim(max), carry, cond, body)
			return final
		}, ops.Cond}
}

// unrolledLoops are their steps, one by one.
func unrolledLoops(g *graph.Graph, dt graph.DType) *looping {
	l := &looping{g: g, dt: dt}
	choose := func(is *graph.Node, a, b nodes) (all nodes) {
		for i := range a {
			all = append(all, ops.Where(is, a[i], b[i]))
		}
		return all
	}
	l.scan = func(s ops.Loop, body func(carry, x nodes) (next, out nodes)) (final, outs nodes) {
		length := s.Length
		if len(s.Over) > 0 {
			length = s.Over[0].Shape()[s.Axis]
		}
		n, _ := length.Int()
		kept, carry := make([]nodes, n), s.Carry
		for i := range int(n) {
			t := i
			if s.Reverse {
				t = int(n) - 1 - i
			}
			var x nodes
			for _, o := range s.Over {
				x = append(x, ops.Select(o, s.Axis, graph.Dim(t)))
			}
			carry, kept[t] = body(carry, x)
		}
		for i := range kept[0] {
			var all nodes
			for _, out := range kept {
				all = append(all, out[i])
			}
			outs = append(outs, ops.Stack(s.Axis, all...))
		}
		return carry, outs
	}
	l.fori = func(n int, carry nodes, body func(i *graph.Node, carry nodes) nodes) nodes {
		for i := range n {
			carry = body(g.Scalar(graph.Int64, float64(i)), carry)
		}
		return carry
	}
	l.while = func(max int, carry nodes, cond func(carry nodes) *graph.Node,
		body func(step *graph.Node, carry nodes) nodes) nodes {
		for i := range max {
			carry = choose(cond(carry), body(g.Scalar(graph.Int64, float64(i)), carry), carry)
		}
		return carry
	}
	l.cond = func(is *graph.Node, then, otherwise func() nodes) nodes { return choose(is, then(), otherwise()) }
	return l
}

func (l *looping) in(name string, shape ...graph.Dim) *graph.Node {
	return l.g.Input(name, l.dt, shape...)
}
func (l *looping) num(v float64) *graph.Node { return l.g.Scalar(l.dt, v) }

// loopForms are programs that people write with loops, over T steps. Each gives results, whose gradients are taken for
// all inputs of floating-point numbers.
var loopForms = map[string]func(l *looping, T graph.Dim) nodes{
	"hidden Markov model": func(l *looping, T graph.Dim) nodes {
		a, b, start := ops.LogSoftmax(l.in("a", 3, 3), 1), ops.LogSoftmax(l.in("b", 3, 4), 1),
			ops.LogSoftmax(l.in("start", 3), 0)
		seen := l.g.Input("seen", graph.Int64, T)
		final, all := l.scan(ops.Loop{Carry: nodes{start}, Over: nodes{seen}}, func(c, x nodes) (nodes, nodes) {
			next := ops.LogSumExp(ops.Add(ops.Unsqueeze(c[0], 1), a), 0)
			next = ops.Add(next, ops.Squeeze(ops.Take(b, 1, ops.Unsqueeze(x[0], 0)), 1))
			return nodes{next}, nodes{next}
		})
		return nodes{ops.LogSumExp(final[0], 0), all[0]}
	},
	"labels in a line": func(l *looping, T graph.Dim) nodes { // as CTC has them
		logits := ops.LogSoftmax(l.in("x", T, 2, 5), -1)
		start := ops.Concat(1, ops.Zeros(l.g, l.dt, 2, 1), ops.Full(l.g, l.dt, -1e30, 2, 4))
		final, _ := l.scan(ops.Loop{Carry: nodes{start}, Over: nodes{logits}}, func(c, x nodes) (nodes, nodes) {
			stay := c[0]
			move := ops.Concat(1, ops.Full(l.g, l.dt, -1e30, 2, 1), ops.Slice(c[0], 1, 0, 4, 1))
			return nodes{ops.Add(ops.LogAddExp(stay, move), x[0])}, nil
		})
		return nodes{ops.Select(final[0], 1, 4), ops.Maximum(final[0], l.num(-100))}
	},
	"linear attention": func(l *looping, T graph.Dim) nodes {
		q, k, v := l.in("q", 2, T, 3), ops.Exp(l.in("k", 2, T, 3)), l.in("v", 2, T, 4)
		_, out := l.scan(ops.Loop{Carry: nodes{ops.Zeros(l.g, l.dt, 2, 3, 4), ops.Zeros(l.g, l.dt, 2, 3)},
			Over: nodes{ops.Exp(q), k, v}, Axis: 1},
			func(c, x nodes) (nodes, nodes) {
				s := ops.Add(c[0], ops.Mul(ops.Unsqueeze(x[1], 2), ops.Unsqueeze(x[2], 1)))
				z := ops.Add(c[1], x[1])
				y := ops.Div(ops.Einsum("bk,bkv->bv", x[0], s), ops.Sum(ops.Mul(x[0], z), -1, ops.KeepDims()))
				return nodes{s, z}, nodes{y}
			})
		return out
	},
	"delta rule": func(l *looping, T graph.Dim) nodes {
		final, out := l.scan(
			ops.Loop{Carry: nodes{l.in("s", 3, 4)}, Over: nodes{l.in("k", T, 3), l.in("v", T, 4), l.in("rate", T)}},
			func(c, x nodes) (nodes, nodes) {
				wrong := ops.Sub(ops.MatMul(x[0], c[0]), x[1])
				s := ops.Sub(c[0], ops.Mul(ops.Sigmoid(x[2]), ops.Mul(ops.Unsqueeze(x[0], 1), ops.Unsqueeze(wrong, 0))))
				return nodes{s}, nodes{ops.MatMul(x[0], s)}
			})
		return append(final, out...)
	},
	"state space": func(l *looping, T graph.Dim) nodes {
		a, b, c := ops.Sigmoid(l.in("a", 4, 3)), l.in("b", 4, 3), l.in("c", 4, 3)
		_, out := l.scan(ops.Loop{Carry: nodes{ops.Zeros(l.g, l.dt, 2, 4, 3)},
			Over: nodes{l.in("x", 2, T, 4), ops.Softplus(l.in("d", 2, T, 4))}, Axis: 1},
			func(h, x nodes) (nodes, nodes) {
				d := ops.Unsqueeze(x[1], 2)
				next := ops.Add(ops.Mul(ops.Exp(ops.Neg(ops.Mul(d, a))), h[0]),
					ops.Mul(ops.Mul(d, b), ops.Unsqueeze(x[0], 2)))
				return nodes{next}, nodes{ops.Sum(ops.Mul(next, c), -1)}
			})
		return out
	},
	"differential equation": func(l *looping, T graph.Dim) nodes {
		w1, w2 := l.in("w1", 2, 5), l.in("w2", 5, 2)
		f := func(y *graph.Node) *graph.Node { return ops.MatMul(ops.Tanh(ops.MatMul(y, w1)), w2) }
		h := l.num(0.1)
		_, out := l.scan(ops.Loop{Carry: nodes{l.in("y", 3, 2)}, Over: nodes{l.in("t", T)}},
			func(c, x nodes) (nodes, nodes) {
				y := ops.Add(c[0], x[0])
				k1 := f(y)
				k2 := f(ops.Add(y, ops.Mul(k1, ops.Mul(h, l.num(0.5)))))
				k3 := f(ops.Add(y, ops.Mul(k2, ops.Mul(h, l.num(0.5)))))
				k4 := f(ops.Add(y, ops.Mul(k3, h)))
				y = ops.Add(y, ops.Mul(ops.Add(ops.Add(k1, ops.Mul(k2, l.num(2))), ops.Add(ops.Mul(k3, l.num(2)), k4)),
					ops.Div(h, l.num(6))))
				return nodes{y}, nodes{y}
			})
		return out
	},
	"fixed point": func(l *looping, T graph.Dim) nodes {
		w, b := ops.Mul(l.in("w", 3, 3), l.num(0.2)), l.in("b", 3)
		return l.while(9, nodes{ops.Zeros(l.g, l.dt, 3), ops.Full(l.g, l.dt, 1, 3)}, func(c nodes) *graph.Node {
			return ops.Greater(ops.Max(ops.Abs(ops.Sub(c[0], c[1]))), l.num(1e-3))
		}, func(_ *graph.Node, c nodes) nodes { return nodes{ops.Tanh(ops.Add(ops.MatMul(c[0], w), b)), c[0]} })[:1]
	},
	"teacher forcing": func(l *looping, T graph.Dim) nodes {
		w := l.in("w", 3, 3)
		forced := l.g.Input("forced", graph.Bool, T)
		final, out := l.scan(
			ops.Loop{Carry: nodes{l.in("h", 2, 3), l.in("y", 2, 3)}, Over: nodes{l.in("target", T, 2, 3), forced}},
			func(c, x nodes) (nodes, nodes) {
				h := ops.Tanh(ops.Add(ops.MatMul(c[0], w), c[1]))
				y := ops.MatMul(h, ops.Transpose(w, 0, 1))
				return nodes{h, ops.Where(x[1], x[0], y)}, nodes{y}
			})
		return append(final, out...)
	},
	"truncated backpropagation": func(l *looping, T graph.Dim) nodes {
		w := l.in("w", 3, 3)
		_, out := l.scan(ops.Loop{Carry: nodes{l.in("h", 3), l.g.Scalar(graph.Int64, 0)}, Over: nodes{l.in("x", T, 3)}},
			func(c, x nodes) (nodes, nodes) {
				cut := ops.Equal(ops.Remainder(c[1], graph.Num(2)), graph.Num(0))
				h := ops.Where(cut, ops.StopGradient(c[0]), c[0])
				h = ops.Tanh(ops.Add(ops.MatMul(h, w), x[0]))
				return nodes{h, ops.Add(c[1], graph.Num(1))}, nodes{h}
			})
		return out
	},
	"encoder and decoder with attention": func(l *looping, T graph.Dim) nodes {
		keys := l.in("keys", 2, 5, 3)
		w := l.in("w", 6, 3)
		final, out := l.scan(ops.Loop{Carry: nodes{l.in("h", 2, 3)}, Over: nodes{l.in("x", T, 2, 3)}},
			func(c, x nodes) (nodes, nodes) {
				weights := ops.Softmax(ops.Einsum("bd,bsd->bs", c[0], keys), -1)
				seen := ops.Einsum("bs,bsd->bd", weights, keys)
				h := ops.Tanh(ops.MatMul(ops.Concat(1, seen, x[0]), w))
				return nodes{h}, nodes{weights, h}
			})
		return append(final, out...)
	},
	"branch in a loop": func(l *looping, T graph.Dim) nodes {
		a, b := l.in("a", 3, 3), l.in("b", 3)
		final, out := l.scan(ops.Loop{Carry: nodes{l.in("h", 3)}, Over: nodes{l.in("x", T, 3)}},
			func(c, x nodes) (nodes, nodes) {
				y := l.cond(ops.Greater(ops.Sum(x[0]), l.num(0)), func() nodes {
					return nodes{ops.Tanh(ops.MatMul(c[0], a)), x[0]}
				}, func() nodes { return nodes{ops.Add(ops.Mul(c[0], b), x[0]), ops.Sin(c[0])} })
				return y[:1], y
			})
		return append(final, out...)
	},
	"loop in a branch": func(l *looping, T graph.Dim) nodes {
		x, w := l.in("x", T, 3), l.in("w", 3, 3)
		return l.cond(ops.Greater(ops.Sum(x), l.num(0)), func() nodes {
			final, _ := l.scan(ops.Loop{Carry: nodes{l.in("h", 3)}, Over: nodes{x}}, func(c, x nodes) (nodes, nodes) {
				return nodes{ops.Tanh(ops.Add(ops.MatMul(c[0], w), x[0]))}, nil
			})
			return final
		}, func() nodes {
			return l.fori(3, nodes{ops.Sum(x, 0)}, func(i *graph.Node, c nodes) nodes {
				return nodes{ops.Sin(ops.Add(ops.MatMul(w, c[0]), ops.Cast(i, l.dt)))}
			})
		})
	},
	"branches in branches": func(l *looping, T graph.Dim) nodes {
		x, y := l.in("x", 3), l.in("y", 3)
		return l.cond(ops.Greater(ops.Sum(x), l.num(0)), func() nodes {
			return l.cond(ops.Greater(ops.Sum(y), l.num(0)), func() nodes { return nodes{ops.Mul(x, y)} },
				func() nodes { return nodes{ops.Exp(x)} })
		}, func() nodes {
			return l.cond(ops.Greater(ops.Sum(y), ops.Sum(x)), func() nodes { return nodes{ops.Sin(y)} },
				func() nodes { return nodes{x} })
		})
	},
	"three loops deep": func(l *looping, T graph.Dim) nodes {
		w := l.in("w", 3, 3)
		final, out := l.scan(ops.Loop{Carry: nodes{l.in("h", 3)}, Over: nodes{l.in("x", T, 2, 3)}},
			func(c, x nodes) (nodes, nodes) {
				inner, all := l.scan(ops.Loop{Carry: c, Over: x, Reverse: true}, func(c, y nodes) (nodes, nodes) {
					z := l.fori(2, nodes{c[0]}, func(i *graph.Node, c nodes) nodes {
						return nodes{
							ops.Tanh(ops.Add(ops.MatMul(c[0], w),
								ops.Mul(y[0], ops.Cast(ops.Add(i, graph.Num(1)), l.dt))))}
					})
					return z, nodes{ops.Sum(z[0])}
				})
				return inner, all
			})
		return append(final, out...)
	},
	"writes into what is carried": func(l *looping, T graph.Dim) nodes {
		return l.fori(4, nodes{l.in("x", 4, 3)}, func(i *graph.Node, c nodes) nodes {
			own := ops.Copy(c[0])
			return nodes{ops.IndexPutInPlace(own, nodes{ops.Unsqueeze(i, 0)},
				ops.Unsqueeze(ops.Sin(ops.Sum(c[0], 0)), 0))}
		})
	},
	"growing cache": func(l *looping, T graph.Dim) nodes {
		w := l.in("w", 3, 3)
		x := l.in("x", T, 3)
		start := ops.Zeros(l.g, l.dt, 20, 3)
		_, out := l.scan(ops.Loop{Carry: nodes{start, l.g.Scalar(graph.Int64, 0)}, Over: nodes{x}},
			func(c, x nodes) (nodes, nodes) {
				place := ops.Equal(ops.Iota(l.g, 0, 20, 1), c[1])
				keys := ops.Where(place, ops.MatMul(x[0], w), c[0])
				late := ops.Greater(ops.Iota(l.g, 0, 20), c[1])
				weights := ops.Softmax(ops.MaskedFill(ops.MatMul(keys, x[0]), late, graph.Num(math.Inf(-1))), 0)
				return nodes{keys, ops.Add(c[1], graph.Num(1))}, nodes{ops.MatMul(weights, keys)}
			})
		return out
	},
	"attention in a loop": func(l *looping, T graph.Dim) nodes {
		w := l.in("w", 4, 4)
		return l.fori(3, nodes{l.in("x", 2, 5, 4)}, func(_ *graph.Node, c nodes) nodes {
			k := ops.MatMul(c[0], w)
			return nodes{ops.Add(c[0], ops.ScaledDotProductAttention(c[0], k, c[0], ops.Causal()))}
		})
	},
	"embeddings in a loop": func(l *looping, T graph.Dim) nodes {
		table := l.in("table", 4, 3)
		_, out := l.scan(ops.Loop{Carry: nodes{l.in("h", 2, 3)}, Over: nodes{l.g.Input("seen", graph.Int64, T, 2)}},
			func(c, x nodes) (nodes, nodes) {
				h := ops.Tanh(ops.Add(ops.Mul(c[0], l.num(0.5)), ops.Embedding(x[0], table)))
				return nodes{h}, nodes{ops.MatMul(h, ops.Transpose(table, 0, 1))}
			})
		return out
	},
	"one value inside and outside": func(l *looping, T graph.Dim) nodes {
		x, w := l.in("x", T, 3), l.in("w", 3, 3)
		y := ops.MatMul(x, w)
		final, out := l.scan(ops.Loop{Carry: nodes{ops.Sum(w, 0)}, Over: nodes{x, y}}, func(c, p nodes) (nodes, nodes) {
			h := ops.Sin(ops.Add(ops.Add(ops.MatMul(w, c[0]), ops.MatMul(p[0], w)), ops.Mul(p[1], ops.Sum(x))))
			return nodes{h}, nodes{h, ops.Sum(w)}
		})
		return append(append(final, out...), ops.MatMul(y, w))
	},
	"passed on and returned": func(l *looping, T graph.Dim) nodes {
		x, a := l.in("x", T, 3), l.in("a", 3)
		final, out := l.scan(ops.Loop{Carry: nodes{a, ops.Mul(a, l.num(2)), l.in("b", 3)}, Over: nodes{x}},
			func(c, p nodes) (nodes, nodes) {
				return nodes{c[0], c[2], c[1]}, nodes{c[1], p[0], a, ops.Mul(c[0], p[0]), c[1]}
			})
		return append(final, out...)
	},
	"advantages": func(l *looping, T graph.Dim) nodes {
		value := l.in("value", T)
		done := ops.Cast(l.g.Input("done", graph.Bool, T), l.dt)
		_, out := l.scan(ops.Loop{Carry: nodes{l.in("last"), l.num(0)}, Over: nodes{l.in("reward", T), value, done},
			Reverse: true}, func(c, x nodes) (nodes, nodes) {
			live := ops.Sub(l.num(1), x[2])
			delta := ops.Sub(ops.Add(x[0], ops.Mul(ops.Mul(c[0], live), l.num(0.99))), x[1])
			a := ops.Add(delta, ops.Mul(ops.Mul(c[1], live), l.num(0.95)))
			return nodes{x[1], a}, nodes{a}
		})
		return out
	},
	"Kalman filter": func(l *looping, T graph.Dim) nodes {
		a, noise := l.in("a", 2, 2), ops.Add(ops.Square(l.in("noise")), l.num(0.5))
		eye := ops.Cast(ops.Equal(ops.Iota(l.g, 0, 2, 2), ops.Iota(l.g, 1, 2, 2)), l.dt)
		_, out := l.scan(ops.Loop{Carry: nodes{ops.Zeros(l.g, l.dt, 2), eye}, Over: nodes{l.in("y", T, 2)}},
			func(c, x nodes) (nodes, nodes) {
				m := ops.MatMul(a, c[0])
				p := ops.Add(ops.MatMul(ops.MatMul(a, c[1]), ops.Transpose(a, 0, 1)), eye)
				gain := ops.Transpose(ops.Solve(ops.Add(p, ops.Mul(eye, noise)), p), 0, 1)
				m = ops.Add(m, ops.MatMul(gain, ops.Sub(x[0], m)))
				p = ops.MatMul(ops.Sub(eye, gain), p)
				return nodes{m, p}, nodes{m}
			})
		return out
	},
	"Sinkhorn": func(l *looping, T graph.Dim) nodes {
		cost := l.in("cost", 4, 5)
		f := l.fori(6, nodes{ops.Zeros(l.g, l.dt, 4, 1), ops.Zeros(l.g, l.dt, 1, 5)},
			func(_ *graph.Node, c nodes) nodes {
				u := ops.Neg(ops.LogSumExp(ops.Add(cost, c[1]), 1, ops.KeepDims()))
				return nodes{u, ops.Neg(ops.LogSumExp(ops.Add(cost, u), 0, ops.KeepDims()))}
			})
		return nodes{ops.Exp(ops.Add(ops.Add(cost, f[0]), f[1]))}
	},
	"automaton": func(l *looping, T graph.Dim) nodes {
		w := l.in("w", 1, 1, 3, 3)
		return l.fori(3, nodes{l.in("x", 1, 1, 5, 5)}, func(_ *graph.Node, c nodes) nodes {
			return nodes{ops.Tanh(ops.Conv2D(c[0], w, nil, ops.Padding(1)))}
		})
	},
	"learning to learn": func(l *looping, T graph.Dim) nodes {
		x, y := l.in("x", 4, 3), l.in("y", 4)
		w := l.fori(3, nodes{l.in("w", 3)}, func(_ *graph.Node, c nodes) nodes {
			loss := ops.Mean(ops.Square(ops.Sub(ops.Tanh(ops.MatMul(x, c[0])), y)))
			return nodes{ops.Sub(c[0], ops.Mul(l.num(0.3), autodiff.Grad(loss, c)[0]))}
		})
		return nodes{ops.Mean(ops.Square(ops.Sub(ops.MatMul(x, w[0]), y)))}
	},
	"running extremes": func(l *looping, T graph.Dim) nodes {
		final, out := l.scan(ops.Loop{Carry: nodes{ops.Full(l.g, l.dt, math.Inf(-1), 3)}, Over: nodes{l.in("x", T, 3)}},
			func(c, x nodes) (nodes, nodes) {
				top := ops.Maximum(c[0], x[0])
				sorted, _ := ops.TopK(ops.Concat(0, top, x[0]), 4, 0, true)
				return nodes{top}, nodes{sorted, ops.CumSum(x[0], 0)}
			})
		return append(final, out...)
	},
	"clipped gradients and norms": func(l *looping, T graph.Dim) nodes {
		gain := l.in("gain", 4)
		final, _ := l.scan(ops.Loop{Carry: nodes{l.in("h", 2, 4)}, Over: nodes{l.in("x", T, 2, 4)}},
			func(c, x nodes) (nodes, nodes) {
				h := ops.RMSNorm(ops.Add(c[0], x[0]), gain, 1e-5)
				return nodes{ops.Clamp(h, -1, 1)}, nil
			})
		return final
	},
}
