package main

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// steps are the steps of optimisers, and of tables of embeddings of which a step reads some rows.
func steps() (list []task) {
	for _, o := range []struct {
		python string
		ours   optim.Optimizer
	}{
		{"SGD([x], lr=0.1)", optim.SGD(0.1)},
		{"SGD([x], lr=0.1, momentum=0.9)", optim.SGD(0.1, optim.Momentum(0.9))},
		{"Adam([x], lr=0.001)", optim.Adam(0.001)},
		{"AdamW([x], lr=0.001)", optim.AdamW(0.001)},
		{"Adamax([x], lr=0.001)", optim.Adamax(0.001)},
		{"NAdam([x], lr=0.001)", optim.NAdam(0.001)},
		{"RAdam([x], lr=0.001)", optim.RAdam(0.001)},
		{"RMSprop([x], lr=0.001)", optim.RMSProp(0.001)},
		{"Adagrad([x], lr=0.01)", optim.Adagrad(0.01)},
		{"Adadelta([x])", optim.Adadelta(1.0)},
		{"Adafactor([x], lr=0.01)", optim.Adafactor(0.01)},
		{"Rprop([x], lr=0.01)", optim.Rprop(0.01)},
		{"ASGD([x], lr=0.01)", optim.ASGD(0.01)},
	} {
		list = append(list, task{
			name: "optim." + o.python +
				" [1000 1000]", call: "step(o, x, y)", setup: "x.requires_grad_(); o = torch.optim." + o.python,
			kinds: func(string) kind { return normal },
			bound: func(string) int { return 1 },
			build: func() (results, updates []node, err error) {
				g := graph.New("step")
				x := g.Param("x", graph.Float32, 1000, 1000)
				y := g.Input("y", graph.Float32, 1000, 1000)
				return nil, o.ours.Updates([]node{x}, []node{y}), g.Err()
			},
		})
	}
	for _, o := range []struct {
		python string
		ours   optim.Optimizer
	}{
		{"SGD([x], lr=0.1)", optim.SGD(0.1)},
		{"SparseAdam([x], lr=0.001)", optim.Adam(0.001, optim.UsedRows())},
		{"Adagrad([x], lr=0.01)", optim.Adagrad(0.01, optim.UsedRows())},
	} {
		list = append(list, task{
			name: "embedding and optim." + o.python +
				" [50000 64, 2048 indices]", call: "sparse_step(o, x, i, y)", setup: "x.requires_grad_(); o = torch.optim." +
				o.python,
			kinds: func(string) kind { return normal },
			bound: func(string) int { return 50000 },
			build: func() (results, updates []node, err error) {
				g := graph.New("step")
				x := g.Param("x", graph.Float32, 50000, 64)
				i := g.Input("i", graph.Int64, 2048)
				y := g.Input("y", graph.Float32, 2048, 64)
				return nil, o.ours.Minimize(ops.Sum(ops.Mul(ops.Embedding(i, x), y)), x), g.Err()
			},
		})
	}
	return list
}
