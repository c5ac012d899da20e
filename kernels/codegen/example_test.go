package codegen_test

import (
	"fmt"
	"log"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Machine code can be made on any processor; package jit runs it if the processor is of the same kind.
func ExampleCompile() {
	b := rowprog.NewBuilder("square", 0)
	x := b.Load(b.In("x", rowprog.F32, rowprog.Vec))
	b.Store(b.Out("y", rowprog.F32, rowprog.Vec), b.Apply(rowprog.OpMul, x, x))
	p, err := b.Build()
	if err != nil {
		log.Fatal(err)
	}
	code, err := codegen.Compile(p, codegen.AVX2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(code.Layout.Operands, "operands,", code.Length > 0, len(code.Bytes) >= code.Length)
	// Output: 2 operands, true true
}
