// Package curve draws the measurements of a training.
package curve

import (
	"errors"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/broadloom/broadloom/train"
)

// The size of the picture of one measure.
const (
	width  = 16 * vg.Centimeter
	height = 8 * vg.Centimeter
)

// errNothing is the error of curves without a finite value.
var errNothing = errors.New("curve: no finite value was measured, and there is nothing to draw")

// SVG writes a picture of curves: those of the same name are in one diagram, and diagrams below each other.
// Values that are no finite numbers are gaps.
func SVG(w io.Writer, title string, curves []train.Curve) error {
	plots, err := diagrams(title, curves)
	if err != nil {
		return err
	}
	c := vgsvg.New(width, height*vg.Length(len(plots)))
	drawAll(plots, draw.New(c))
	_, err = c.WriteTo(w)
	return err
}

// PNG is [SVG] as a picture of pixels.
func PNG(w io.Writer, title string, curves []train.Curve) error {
	plots, err := diagrams(title, curves)
	if err != nil {
		return err
	}
	c := vgimg.New(width, height*vg.Length(len(plots)))
	drawAll(plots, draw.New(c))
	_, err = vgimg.PngCanvas{Canvas: c}.WriteTo(w)
	return err
}

// drawAll draws diagrams below each other, with their axes in line.
func drawAll(plots [][]*plot.Plot, c draw.Canvas) {
	tiles := draw.Tiles{Rows: len(plots), Cols: 1, PadY: vg.Millimeter * 2}
	for i, row := range plot.Align(plots, tiles, c) {
		plots[i][0].Draw(row[0])
	}
}

// diagrams makes a diagram of each name, one to a row.
func diagrams(title string, curves []train.Curve) (rows [][]*plot.Plot, err error) {
	byName := map[string]*plot.Plot{}
	for _, c := range curves {
		parts := finiteParts(c.Points)
		if len(parts) == 0 {
			continue
		}
		p := byName[c.Name]
		if p == nil {
			p = plot.New()
			p.X.Label.Text, p.Y.Label.Text, p.Legend.Top = "step", c.Name, true
			if len(rows) == 0 {
				p.Title.Text = title
			}
			byName[c.Name], rows = p, append(rows, []*plot.Plot{p})
		}
		if err := add(p, c, parts); err != nil {
			return nil, fmt.Errorf("curve: %s: %w", c.Name, err)
		}
	}
	if len(rows) == 0 {
		return nil, errNothing
	}
	return rows, nil
}

// add draws a curve's parts into its diagram.
func add(p *plot.Plot, c train.Curve, parts []plotter.XYs) error {
	label, colour := "each step", 0
	if c.PerEpoch {
		label, colour = "each epoch", 1
	}
	for i, points := range parts {
		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return err
		}
		line.Color, marks.Color = plotutil.Color(colour), plotutil.Color(colour)
		p.Add(line)
		if c.PerEpoch || len(points) == 1 {
			p.Add(marks)
		}
		if i == 0 {
			p.Legend.Add(label, line)
		}
	}
	return nil
}

// finiteParts returns the points between which all values are finite numbers.
func finiteParts(points []train.Point) (parts []plotter.XYs) {
	var part plotter.XYs
	for _, v := range points {
		if !math.IsNaN(v.Value) && !math.IsInf(v.Value, 0) {
			part = append(part, plotter.XY{X: float64(v.Step), Y: v.Value})
			continue
		}
		if part != nil {
			parts, part = append(parts, part), nil
		}
	}
	if part != nil {
		parts = append(parts, part)
	}
	return parts
}
