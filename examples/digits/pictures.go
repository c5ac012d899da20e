package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/viz"
	"github.com/broadloom/broadloom/viz/svg"
)

// writePictures writes the curve of the loss and the graph into a folder, and gives the
// files written. What was learned is worth more than its pictures: say is told what cannot
// be drawn or written, and the others follow.
func writePictures(ctx context.Context, dir string, g *graph.Graph, history []epoch, say func(error)) (files []string) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		say(err)
		return nil
	}
	source, view := viz.Graph(g), viz.Fold("adamw")
	for _, p := range []struct {
		name string
		draw func(io.Writer) error
	}{
		{"loss.svg", func(w io.Writer) error { return drawLoss(w, history) }},
		{"graph.dot", func(w io.Writer) error { return viz.DOT(w, source, view) }},
		{"graph.svg", func(w io.Writer) error {
			return viz.SVG(ctx, w, source, view, viz.RenderWith(svg.Render), viz.Report(say))
		}},
	} {
		var picture bytes.Buffer
		file := filepath.Join(dir, p.name)
		err := p.draw(&picture)
		if err == nil {
			err = writeWhole(file, picture.Bytes())
		}
		if err != nil {
			say(fmt.Errorf("%s: %w", file, err))
			continue
		}
		files = append(files, file)
	}
	return files
}

// writeWhole writes a file so that it is never seen half written.
func writeWhole(file string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // nothing is left of that name once it was renamed
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}

// drawLoss plots the losses over the epochs.
func drawLoss(w io.Writer, history []epoch) error {
	training, test := make(plotter.XYs, len(history)), make(plotter.XYs, len(history))
	for i, e := range history {
		training[i] = plotter.XY{X: float64(e.number), Y: e.loss}
		test[i] = plotter.XY{X: float64(e.number), Y: e.testLoss}
	}
	p := plot.New()
	p.Title.Text = "Handwritten digits"
	p.X.Label.Text, p.Y.Label.Text = "epoch", "cross entropy"
	p.Y.Min = 0
	p.Legend.Top = true
	p.Add(plotter.NewGrid())
	if err := plotutil.AddLines(p, "training", training, "test", test); err != nil {
		return err
	}
	picture, err := p.WriterTo(16*vg.Centimeter, 10*vg.Centimeter, "svg")
	if err != nil {
		return err
	}
	_, err = picture.WriteTo(w)
	return err
}
