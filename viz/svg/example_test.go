package svg_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/broadloom/broadloom/viz/svg"
)

// Render draws what Graphviz's language describes, without Graphviz.
func ExampleRender() {
	picture, err := svg.Render(context.Background(), []byte("digraph { x -> y }"))
	fmt.Println(bytes.Contains(picture, []byte("<svg")), err)
	// Output: true <nil>
}
