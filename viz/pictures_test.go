package viz_test

import (
	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/viz"
)

// picture is one golden file: a program and how it is drawn.
type picture struct {
	name   string
	source func() viz.Source
	opts   []viz.Option
}

// pictures are the golden files: every example as it comes, and every option once.
func pictures() []picture {
	var list []picture
	add := func(name string, build func() *graph.Graph, opts ...viz.Option) {
		list = append(list, picture{name, func() viz.Source { return viz.Graph(build()) }, opts})
	}
	for _, e := range examples {
		add(e.name, e.build)
	}
	add("residual_limit", residual, viz.Limit(60))
	add("residual_gradient", residualGradient)
	add("residual_inner", residualGradient, viz.Fold("norm", "mlp"), viz.Stack(false))
	add("dark", chainGradient, viz.WithTheme(viz.Dark))
	add("print", chainGradient, viz.WithTheme(viz.Print))
	add("left_to_right", chainGradient, viz.LeftToRight(), viz.Legend(false), viz.Title("sideways"))
	add("below", chainGradient, viz.Gradient(viz.Below))
	add("hidden", digits, viz.Gradient(viz.Hidden))
	add("details", chainGradient, viz.Details(viz.Names|viz.Types|viz.Lines))
	add("every_edge", chainGradient, viz.LongEdges(0))
	views := digits()
	h, loss := named(views, "h"), named(views, "loss")
	add("around", func() *graph.Graph { return views }, viz.Around(h, 2))
	add("between", func() *graph.Graph { return views }, viz.Between(h, loss))
	return list
}

func residualGradient() *graph.Graph {
	g := residual()
	loss := ops.Sum(named(g, "classes"))
	autodiff.Grad(loss, g.Params())
	return g
}
