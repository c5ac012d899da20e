package svg

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/awalterschulze/gographviz"
	"github.com/goccy/go-graphviz"
)

// failed is the exit status of a worker that says what went wrong.
const failed = 3

// work draws the graph that it reads, and gives the status with which to exit.
func work(in io.Reader, out, complaints io.Writer) int {
	dot, err := io.ReadAll(in)
	if err == nil {
		var picture []byte
		if picture, err = render(context.Background(), dot); err == nil {
			_, err = out.Write(picture)
		}
	}
	if err != nil {
		fmt.Fprintln(complaints, err)
		return failed
	}
	return 0
}

// render draws in this process. Nothing is closed: the process ends.
func render(ctx context.Context, dot []byte) ([]byte, error) {
	// A syntax error would leave Graphviz's own parser in the middle of a graph.
	if _, err := gographviz.Parse(dot); err != nil {
		return nil, fmt.Errorf("reading the graph: %w", err)
	}
	g, err := graphviz.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("starting Graphviz: %w", err)
	}
	graph, err := graphviz.ParseBytes(dot)
	if err != nil {
		return nil, fmt.Errorf("reading the graph: %w", err)
	}
	// What Graphviz says last may be a warning, of which the library makes an error, and an
	// error of one edge still leaves a picture: who asked for it judges what it shows.
	var out bytes.Buffer
	if err := g.Render(ctx, graph, graphviz.SVG, &out); err != nil && !bytes.Contains(out.Bytes(), []byte("</svg>")) {
		return nil, err
	}
	return out.Bytes(), nil
}
