package backend

import (
	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/jit"
)

// codeParts are pieces of machine code that share a block of memory.
type codeParts struct {
	list []*codegen.Code
	size int
}

// add appends code and returns where it begins.
func (c *codeParts) add(code *codegen.Code) (offset int) {
	offset = c.size
	c.list = append(c.list, code)
	c.size += aligned(len(code.Bytes))
	return offset
}

// load copies all of them to executable memory.
func (c *codeParts) load() (*jit.Code, error) {
	block, at := make([]byte, c.size), 0
	for _, code := range c.list {
		copy(block[at:], code.Bytes)
		at += aligned(len(code.Bytes))
	}
	return jit.New(block)
}

// aligned rounds a number of bytes up, so that what follows is aligned too.
func aligned(n int) int { return (n + codegen.Align - 1) &^ (codegen.Align - 1) }
