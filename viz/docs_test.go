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

// TestDocumentsPictures keeps the pictures of docs/pictures, which the README shows:
//
//	go test ./viz -run Pictures -update
//
// writes them anew. They are drawn by package viz/svg, so that every machine draws the
// same bytes.
func TestDocumentsPictures(t *testing.T) {
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
			require.True(t, string(kept) == string(picture), "%s is not what is drawn now: go test ./viz -run Pictures -update", path)
		})
	}
}
