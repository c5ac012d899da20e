package stablehlo_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
	"github.com/broadloom/broadloom/stablehlo"
)

// Sizes are numbers in an exported program: names are bound.
func ExampleExport() {
	g := graph.New("double")
	x := g.Input("x", graph.Float32, g.Dim("n"))
	y := ops.Add(x, x).Named("y")
	module, err := stablehlo.Export(g, stablehlo.Outputs(y), stablehlo.Bind(shapeinfer.Sizes{"n": 3}))
	if err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(module.String()) {
		if strings.Contains(line, "stablehlo.add") {
			fmt.Println(strings.Contains(line, "tensor<3xf32>"))
		}
	}
	// Output: true
}
