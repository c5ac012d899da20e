package gemm

import (
	"fmt"
	"testing"

	"github.com/broadloom/broadloom/kernels/cpu"
)

// everyDots runs a test with each set of loops that the processor has.
func everyDots[T interface {
	*testing.T | *testing.B
	Run(string, func(T)) bool
}](t T, test func(T)) {
	defer func(was func() *dotTable) { chosenDots = was }(chosenDots)
	for isa := range cpu.Machine() + 1 {
		has := cpu.ProductsOf(isa)
		choices := []cpu.Products{{}}
		if has.Dots {
			choices = append(choices, cpu.Products{Dots: true})
		}
		if has.Tiles {
			choices = append(choices, has)
		}
		for _, with := range choices {
			table := dotTableOf(isa, with)
			chosenDots = func() *dotTable { return &table }
			t.Run(fmt.Sprintf("%s dots=%v tiles=%v", isa, with.Dots, with.Tiles), test)
		}
	}
}
