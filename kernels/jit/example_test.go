//go:build (linux && (amd64 || arm64)) || (windows && amd64)

package jit_test

import (
	"fmt"
	"log"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/jit"
)

// Code that adds its second argument to its first.
func ExampleNew() {
	a := asm.New(asm.Host())
	a.MovLoad(asm.RAX, asm.At(asm.RDI, 8))
	a.AddStore(asm.At(asm.RDI, 0), asm.RAX)
	a.Zeroupper()
	a.Return()
	_, bytes := a.Finish()
	code, err := jit.New(bytes)
	if err != nil {
		log.Fatal(err)
	}
	numbers := [2]int64{40, 2}
	code.Call(0, unsafe.Pointer(&numbers))
	fmt.Println(numbers[0])
	// Output: 42
}
