package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/train"
	"github.com/broadloom/broadloom/train/curve"
	"github.com/broadloom/broadloom/viz"
	"github.com/broadloom/broadloom/viz/svg"
)

// writePictures writes the curves and the graph into a folder, and returns the
// files written. A trained model matters more than its pictures: say receives the errors of those that
// cannot be drawn or written, and the others follow.
func writePictures(ctx context.Context, dir string, g *graph.Graph, curves []train.Curve,
	say func(error)) (files []string) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		say(err)
		return nil
	}
	source, view := viz.Graph(g), viz.Fold("AdamW")
	for _, p := range []struct {
		name string
		draw func(io.Writer) error
	}{
		{"loss.svg", func(w io.Writer) error { return curve.SVG(w, "Handwritten digits", curves) }},
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

// writeWhole writes a file so that it is never visible half written.
func writeWhole(file string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // does nothing once the file has been renamed
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}
