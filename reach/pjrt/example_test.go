package pjrt_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/broadloom/broadloom/reach/pjrt"
)

// A module of StableHLO, such as the module.mlir of an exported program, runs on the device of a plugin.
func Example() {
	ctx := context.Background()
	plugin, err := pjrt.Load(os.Getenv("BROADLOOM_PJRT_PLUGIN"))
	if err != nil {
		log.Fatal(err)
	}
	client, err := plugin.NewClient()
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	program, err := client.Compile(ctx, `
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %sum = stablehlo.add %x, %y : tensor<3xf32>
  return %sum : tensor<3xf32>
}`)
	if err != nil {
		log.Fatal(err)
	}
	defer program.Close()
	results, err := program.Run(ctx, pjrt.Of([]float32{1, 2, 3}, 3), pjrt.Of([]float32{10, 20, 30}, 3))
	if err != nil {
		log.Fatal(err)
	}
	sums, err := pjrt.Values[float32](results[0])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sums) // [11 22 33]
}
