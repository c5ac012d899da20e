package viz_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/reach"
	"github.com/broadloom/broadloom/viz"
	"github.com/broadloom/broadloom/viz/svg"
)

// chainProgram compiles chain with its gradient.
func chainProgram(t testing.TB) *exec.Program {
	t.Helper()
	g := graph.New("z = tanh(x·y + b)·x − y")
	z, wrt := chainOf(g)
	dz := g.Input("dz", graph.Float32, 32, 128)
	prog, err := exec.Compile(g, exec.Outputs(append(autodiff.Grad(z, wrt, autodiff.Upstream(dz)), z)...))
	require.NoError(t, err)
	return prog
}

// dividedLayers are two layers of a transformer's kind, on a mesh of four by two devices.
func dividedLayers(t testing.TB) (*reach.Plan, *reach.Explanation) {
	g := graph.New("two layers on eight devices")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 512)
	up, down := g.Param("up.weight", graph.Float32, 2048, 512), g.Param("down.weight", graph.Float32, 512, 2048)
	h := ops.Gelu(ops.Linear(x, up, nil))
	y := ops.Add(x, ops.Linear(h, down, nil)).Named("y")
	plan, err := reach.Shard(g, reach.NewMesh(reach.Axis("data", 4), reach.Axis("tensor", 2)),
		reach.Outputs(ops.Mean(ops.Square(y)).Named("loss")),
		reach.Dim("batch", "data"), reach.Params("up.weight", "tensor", ""), reach.Params("down.weight", "", "tensor"),
		reach.Sizes(map[string]int{"batch": 256}))
	require.NoError(t, err)
	explained, err := plan.Explain()
	require.NoError(t, err)
	return plan, explained
}

// TestDocumentsPictures keeps the pictures of docs/pictures, which the README shows:
//
//	go test ./viz -run Pictures -update
//
// writes them anew. They are drawn by package viz/svg, so that every machine draws the
// same bytes.
func TestDocumentsPictures(t *testing.T) {
	divided, explained := dividedLayers(t)
	batch := viz.Sizes(map[string]int{"batch": 32})
	for _, p := range []struct {
		file   string
		source viz.Source
		opts   []viz.Option
	}{
		{"chain.svg", viz.Graph(chainGradient()), nil},
		{"chain-dark.svg", viz.Graph(chainGradient()), []viz.Option{viz.WithTheme(viz.Dark)}},
		{"chain-program.svg", viz.Program(chainProgram(t)), nil},
		{"chain-program-dark.svg", viz.Program(chainProgram(t)), []viz.Option{viz.WithTheme(viz.Dark)}},
		{"digits.svg", viz.Graph(digits()), []viz.Option{viz.Gradient(viz.Hidden)}},
		{"digits-gradient.svg", viz.Graph(digits()), nil},
		{"digits-program.svg", viz.Program(digitsProgram(t)), []viz.Option{batch}},
		{"mistake.svg", viz.Graph(wrong()), nil},
		{"reach.svg", viz.Graph(divided.Graph()),
			[]viz.Option{viz.Gradient(viz.Hidden), viz.Divided(explained.Mesh.Names(), explained.Sharding)}},
		{"transformer.svg", viz.Graph(transformer(12)), nil},
	} {
		t.Run(p.file, func(t *testing.T) {
			picture, err := svg.Render(context.Background(), dotOf(t, p.source, p.opts...))
			require.NoError(t, err)
			path := filepath.Join("..", "docs", "pictures", p.file)
			if *update {
				require.NoError(t, os.WriteFile(path, picture, 0o644))
			}
			kept, err := os.ReadFile(path)
			require.NoError(t, err)
			require.True(t, string(kept) == string(picture),
				"%s is not what is drawn now: go test ./viz -run Pictures -update", path)
		})
	}
}
