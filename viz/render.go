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
	return drawAs(ctx, w, s, opts, DOTToSVG)
}

// PNG draws a picture with Graphviz's program dot, which must be installed, with two
// pixels for each point. Pictures of large programs are better as SVG: they stay sharp
// and can be searched.
func PNG(ctx context.Context, w io.Writer, s Source, opts ...Option) error {
	return drawAs(ctx, w, s, opts, DOTToPNG)
}

func drawAs(ctx context.Context, w io.Writer, s Source, opts []Option,
	as func(context.Context, []byte, Renderer) ([]byte, error)) error {
	var dot bytes.Buffer
	if err := DOT(&dot, s, opts...); err != nil {
		return err
	}
	picture, err := as(ctx, dot.Bytes(), newOptions(opts).renderer)
	if err != nil {
		return err
	}
	_, err = w.Write(picture)
	return err
}

// DOTToSVG draws what [DOT] has written, as [SVG] does; r may be nil.
func DOTToSVG(ctx context.Context, dot []byte, r Renderer) ([]byte, error) {
	picture, err := runDot(ctx, dot, "-Tsvg")
	if errors.Is(err, ErrNoGraphviz) && r != nil {
		return r(ctx, dot)
	}
	return picture, err
}

// DOTToPNG draws what [DOT] has written, as [PNG] does; the renderer is not used.
func DOTToPNG(ctx context.Context, dot []byte, _ Renderer) ([]byte, error) {
	return runDot(ctx, dot, "-Tpng", "-Gdpi=144")
}

func runDot(ctx context.Context, dot []byte, flags ...string) ([]byte, error) {
	path, err := exec.LookPath("dot")
	if err != nil {
		return nil, ErrNoGraphviz
	}
	var out, complaints bytes.Buffer
	cmd := exec.CommandContext(ctx, path, flags...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(dot), &out, &complaints
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("viz: dot was stopped: %w", ctx.Err())
		}
		first, _, _ := strings.Cut(complaints.String(), "\n")
		return nil, fmt.Errorf("viz: dot failed: %w: %s", err, first)
	}
	return out.Bytes(), nil
}
