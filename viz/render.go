package viz

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// ErrNoGraphviz is the error of [PNG] and [PDF] if Graphviz is not installed.
var ErrNoGraphviz = errors.New("viz: Graphviz's program dot was not found; install the package graphviz " +
	"(apt-get install graphviz, dnf install graphviz, brew install graphviz), or write SVG, which viz.RenderWith(svg.Render) " +
	"of package github.com/broadloom/broadloom/viz/svg draws like Graphviz; or write viz.HTML, which needs no Graphviz")

// Renderer draws Graphviz's language as SVG: Render of package viz/svg, or your own. It must return when its context
// ends.
type Renderer func(ctx context.Context, dot []byte) (svg []byte, err error)

// RenderWith sets the renderer that [SVG] uses if Graphviz is not installed.
func RenderWith(r Renderer) Option { return func(o *options) { o.renderer = r } }

// Patience sets the time that Graphviz may take for a picture before a simpler form of it is drawn. The default is
// half a minute.
func Patience(d time.Duration) Option { return func(o *options) { o.patience = d } }

// Report sets a function that is told why [SVG] or [PNG] drew a simpler form of a picture, with an error for each
// form that could not be drawn, and which patterns of [Fold] match nothing.
func Report(told func(error)) Option { return func(o *options) { o.report = told } }

// SVG draws a picture with Graphviz's program dot, or if that is not installed, with the renderer of [RenderWith]. If
// Graphviz fails, takes too long or loses an edge, simpler forms of the picture are tried. The last one is drawn
// without Graphviz, so that there always is a picture: errors are only those of s, of w and of ctx.
func SVG(ctx context.Context, w io.Writer, s Source, opts ...Option) error {
	return drawAs(w, s, opts, func(k *Sketch, o *options) ([]byte, []error, error) { return k.SVG(ctx, o.renderer) })
}

// PNG draws a picture with Graphviz's program dot, which must be installed, with two pixels per point. It tries
// simpler forms like [SVG]. Pictures of large programs are better as SVG: they stay sharp and can be searched.
func PNG(ctx context.Context, w io.Writer, s Source, opts ...Option) error {
	return drawAs(w, s, opts, func(k *Sketch, _ *options) ([]byte, []error, error) { return k.PNG(ctx) })
}

// PDF draws a picture with Graphviz's program dot, like [PNG]: for papers.
func PDF(ctx context.Context, w io.Writer, s Source, opts ...Option) error {
	return drawAs(w, s, opts, func(k *Sketch, _ *options) ([]byte, []error, error) { return k.PDF(ctx) })
}

func drawAs(w io.Writer, s Source, opts []Option, as func(*Sketch, *options) ([]byte, []error, error)) error {
	if err := checkPicture(w, s); err != nil {
		return err
	}
	k, err := NewSketch(s, opts...)
	if err != nil {
		return err
	}
	o := newOptions(opts)
	picture, trouble, err := as(k, o)
	if o.report != nil {
		for _, t := range trouble {
			o.report(t)
		}
	}
	if err != nil {
		return err
	}
	_, err = w.Write(picture)
	return err
}

// Sketch is a picture in all forms in which it can be drawn. It can be sent as JSON from the program that has the
// graph to one that draws.
type Sketch struct {
	Forms    [][]byte      // Graphviz's language: each form asks less of Graphviz than the one before
	Plain    []byte        // SVG in the layout of this package
	Nodes    int           // boxes and labels of edges that must be visible
	Edges    int           // lines that must be visible
	Patience time.Duration // the time for each form
	// Titles are the accessible names of the parts of an SVG, by their names in Graphviz's language.
	Titles map[string]string
}

// NewSketch makes the forms of a picture.
func NewSketch(s Source, opts ...Option) (*Sketch, error) {
	if err := checkSource(s); err != nil {
		return nil, err
	}
	o := newOptions(opts)
	m, err := s.model(o)
	if err != nil {
		return nil, err
	}
	d := draw(m, o)
	k := &Sketch{Patience: o.patience, Titles: d.titles()}
	k.Plain = withTitles(plainSVG(d, o), k.Titles)
	k.Nodes, k.Edges = d.count()
	for _, f := range forms {
		var dot bytes.Buffer
		if err := writeDOT(&dot, d, o, f); err != nil {
			return nil, err
		}
		k.Forms = append(k.Forms, dot.Bytes())
	}
	return k, nil
}

// FormName names the form that is tried after the given number of failed ones: "without orders".
func (k *Sketch) FormName(failed int) string {
	if failed < min(len(k.Forms), len(forms)) {
		return forms[failed].name
	}
	return "without Graphviz"
}

// SVG draws the sketch like the function [SVG]; r may be nil. trouble says why each form before the drawn one failed.
// err is nil unless ctx has ended.
func (k *Sketch) SVG(ctx context.Context, r Renderer) (picture []byte, trouble []error, err error) {
	_, missing := exec.LookPath("dot")
	if missing != nil && r == nil {
		return k.Plain, []error{fmt.Errorf("%w; drawn without it", ErrNoGraphviz)}, nil
	}
	picture, trouble, err = k.try(ctx, func(ctx context.Context, dot []byte) ([]byte, error) {
		draw := r
		if missing == nil {
			draw = dotSVG
		}
		picture, err := guarded(draw)(ctx, dot)
		if err != nil {
			return nil, err
		}
		return picture, k.check(picture)
	})
	if err == nil && picture == nil {
		return k.Plain, trouble, nil
	}
	return withTitles(picture, k.Titles), trouble, err
}

// PNG draws the sketch like the function [PNG]. trouble says why each form before the drawn one failed.
func (k *Sketch) PNG(ctx context.Context) (picture []byte, trouble []error, err error) {
	return k.byDot(ctx, "-Tpng", "-Gdpi=144")
}

// PDF draws the sketch like the function [PDF], with trouble as in PNG.
func (k *Sketch) PDF(ctx context.Context) (picture []byte, trouble []error, err error) {
	return k.byDot(ctx, "-Tpdf")
}

// byDot draws the sketch in a format that only Graphviz's program writes.
func (k *Sketch) byDot(ctx context.Context, flags ...string) (picture []byte, trouble []error, err error) {
	picture, trouble, err = k.try(ctx, func(ctx context.Context, dot []byte) ([]byte, error) {
		picture, complaints, err := runDot(ctx, dot, flags...)
		if lost := lostEdge.FindString(complaints); err == nil && lost != "" {
			err = fmt.Errorf("viz: dot %s", lost)
		}
		return picture, err
	})
	if err == nil && picture == nil {
		err = errors.Join(trouble...)
	}
	return picture, trouble, err
}

// try draws the first form that can be drawn; the picture is nil where none can.
func (k *Sketch) try(ctx context.Context, draw Renderer) (picture []byte, trouble []error, err error) {
	for i, dot := range k.Forms {
		limited, cancel := context.WithTimeout(ctx, k.Patience)
		picture, err := draw(limited, dot)
		cancel()
		switch {
		case err == nil:
			return picture, trouble, nil
		case ctx.Err() != nil:
			return nil, trouble, fmt.Errorf("viz: drawing was stopped: %w", ctx.Err())
		case errors.Is(err, ErrNoGraphviz):
			return nil, nil, err
		}
		trouble = append(trouble, fmt.Errorf("the picture %s: %w", k.FormName(i), err))
	}
	return nil, trouble, nil
}

// guarded makes an error of a panic in a renderer.
func guarded(r Renderer) Renderer {
	return func(ctx context.Context, dot []byte) (picture []byte, err error) {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("viz: the renderer panicked: %v", v)
			}
		}()
		return r(ctx, dot)
	}
}

// check reports what a picture by Graphviz lacks.
func (k *Sketch) check(svg []byte) error {
	nodes, edges := bytes.Count(svg, []byte(`class="node"`)), 0
	for rest := svg; ; {
		_, after, found := bytes.Cut(rest, []byte(`class="edge"`))
		if !found {
			break
		}
		group, _, _ := bytes.Cut(after, []byte("</g>\n"))
		if bytes.Contains(group, []byte("<path ")) {
			edges++
		}
		rest = after
	}
	if nodes != k.Nodes || edges != k.Edges {
		return fmt.Errorf("viz: Graphviz drew %d of %d boxes and %d of %d edges", nodes, k.Nodes, edges, k.Edges)
	}
	return nil
}

// lostEdge matches Graphviz's warning about an edge that it could not draw.
var lostEdge = regexp.MustCompile(`lost \S+ \S+ edge`)

func dotSVG(ctx context.Context, dot []byte) ([]byte, error) {
	picture, _, err := runDot(ctx, dot, "-Tsvg")
	return picture, err
}

func runDot(ctx context.Context, dot []byte, flags ...string) (picture []byte, complaints string, err error) {
	path, err := exec.LookPath("dot")
	if err != nil {
		return nil, "", ErrNoGraphviz
	}
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, path, flags...)
	cmd.WaitDelay = time.Second // for what dot may have started
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(dot), &out, &said
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, "", fmt.Errorf("viz: dot was stopped: %w", ctx.Err())
		}
		first, _, _ := strings.Cut(said.String(), "\n")
		return nil, "", fmt.Errorf("viz: dot failed: %w: %s", err, first)
	}
	return out.Bytes(), said.String(), nil
}
