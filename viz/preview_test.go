package viz_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/viz"
)

func residualGradient() *graph.Graph {
	g := residual()
	loss := ops.Sum(g.Nodes()[len(g.Nodes())-1])
	autodiff.Grad(loss, g.Params())
	return g
}

func TestPreview(t *testing.T) {
	dir := os.Getenv("PREVIEW")
	if dir == "" {
		t.Skip()
	}
	os.MkdirAll(dir, 0o755)
	draw := func(name string, g *graph.Graph, opts ...viz.Option) {
		var b bytes.Buffer
		if err := viz.DOT(&b, viz.Graph(g), opts...); err != nil {
			t.Fatal(err)
		}
		os.WriteFile(filepath.Join(dir, name+".dot"), b.Bytes(), 0o644)
		c := exec.CommandContext(context.Background(), "dot", "-Tpng", "-o", filepath.Join(dir, name+".png"))
		c.Stdin = &b
		out, err := c.CombinedOutput()
		if err != nil || len(out) > 0 {
			t.Errorf("%s: %v %s", name, err, out)
		}
	}
	for _, e := range examples {
		draw(e.name, e.build())
	}
	draw("residual60", residual(), viz.Limit(60))
	draw("residual_grad", residualGradient())
	draw("residual_grad_fold", residualGradient(), viz.Fold("norm", "mlp"), viz.Stack(false))
	draw("dark", chainGradient(), viz.WithTheme(viz.Dark))
	draw("print", chainGradient(), viz.WithTheme(viz.Print))
	draw("digits_dark", digits(), viz.WithTheme(viz.Dark))
	draw("lr", chainGradient(), viz.LeftToRight())
	draw("digits_lr", digits(), viz.LeftToRight())
	draw("below", chainGradient(), viz.Gradient(viz.Below))
	draw("names", chainGradient(), viz.Details(viz.Names|viz.Types|viz.Lines))
	g := digits()
	draw("around", g, viz.Around(g.Nodes()[8], 2))
	draw("between", g, viz.Between(g.Nodes()[0], g.Nodes()[10]))
	draw("hidden", g, viz.Gradient(viz.Hidden))
}
