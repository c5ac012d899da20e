package backend

import "unsafe"

// Static is a call of machine code that is part of the binary, not of a kernel. Its arguments begin with the addresses
// of its operands.
type Static struct {
	code, args unsafe.Pointer
	elements   int // whose work takes about as long
}

// NewStatic makes a call of code with arguments, which must not move. The code takes about as long as a kernel for a
// number of elements.
func NewStatic(code, args unsafe.Pointer, elements int) *Static { return &Static{code, args, elements} }

// operand is the place of an operand's address.
func (c *Static) operand(i int) *uintptr {
	return (*uintptr)(unsafe.Add(c.args, i*int(unsafe.Sizeof(uintptr(0)))))
}

// Operand is the address of an operand.
func (c *Static) Operand(i int) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(c.operand(i)))
}
