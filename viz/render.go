package viz

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// ErrNoGraphviz is the error of [SVG] and [PNG] where Graphviz is not installed.
var ErrNoGraphviz = errors.New("viz: Graphviz's program dot was not found; install the package graphviz " +
	"(apt-get install graphviz, dnf install graphviz, brew install graphviz), or draw SVG without it: viz.RenderWith(svg.Render) " +
	"of package github.com/broadloom/broadloom/viz/svg; or write viz.HTML, which needs nothing")

// Renderer draws Graphviz's language as SVG: Render of package viz/svg, or one of your own.
type Renderer func(ctx context.Context, dot []byte) (svg []byte, err error)

// RenderWith lets [SVG] draw where Graphviz's program is not installed.
func RenderWith(r Renderer) Option { return func(o *options) { o.renderer = r } }

// SVG draws a picture with Graphviz's program dot, or where that is not installed, with
// the renderer given by [RenderWith].
func SVG(ctx context.Context, w io.Writer, s Source, opts ...Option) error {
	r := newOptions(opts).renderer
	if _, err := exec.LookPath("dot"); err == nil || r == nil {
		return render(ctx, w, s, opts, "-Tsvg")
	}
	var dot bytes.Buffer
	if err := DOT(&dot, s, opts...); err != nil {
		return err
	}
	picture, err := r(ctx, dot.Bytes())
	if err != nil {
		return err
	}
	_, err = w.Write(picture)
	return err
}

// PNG is like [SVG], with two pixels for each point. Pictures of large programs are
// better as SVG: they stay sharp and can be searched.
func PNG(ctx context.Context, w io.Writer, s Source, opts ...Option) error {
	return render(ctx, w, s, opts, "-Tpng", "-Gdpi=144")
}

func render(ctx context.Context, w io.Writer, s Source, opts []Option, flags ...string) error {
	path, err := exec.LookPath("dot")
	if err != nil {
		return ErrNoGraphviz
	}
	var in, out, complaints bytes.Buffer
	if err := DOT(&in, s, opts...); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, path, flags...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, &complaints
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("viz: dot was stopped: %w", ctx.Err())
		}
		first, _, _ := strings.Cut(complaints.String(), "\n")
		return fmt.Errorf("viz: dot failed: %w: %s", err, first)
	}
	_, err = w.Write(out.Bytes())
	return err
}
