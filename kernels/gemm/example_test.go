package gemm_test

import (
	"fmt"
	"log"

	"github.com/broadloom/broadloom/kernels/gemm"
)

// A transpose is a view: its strides are exchanged.
func ExampleProduct() {
	a := gemm.Matrix[float32]{Data: []float32{1, 2, 3, 4, 5, 6}, Row: 3, Col: 1}
	at := gemm.Matrix[float32]{Data: a.Data, Row: 1, Col: 3}
	c := gemm.Matrix[float32]{Data: make([]float32, 4), Row: 2, Col: 1}
	p := gemm.Product[float32]{M: 2, N: 2, K: 3, A: a, B: at, C: c}
	if err := p.Check(); err != nil {
		log.Fatal(err)
	}
	var scratch gemm.Scratch[float32]
	p.Run(&scratch)
	fmt.Println(c.Data)
	// Output: [14 32 32 77]
}
