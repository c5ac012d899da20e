package asm_test

import (
	"fmt"

	"github.com/broadloom/broadloom/kernels/asm"
)

// Code that counts down a register.
func ExampleAsm() {
	a := asm.New(asm.AMD64)
	a.MovImm(asm.RCX, 10)
	top := a.Here()
	a.SubImm(asm.RCX, 1)
	a.JumpIf(asm.NotEqual, top)
	a.Return()
	length, code := a.Finish()
	fmt.Printf("% x\n", code[:length])
	// Output: b9 0a 00 00 00 48 83 e9 01 0f 85 f6 ff ff ff c3
}
