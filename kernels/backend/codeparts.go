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

// add puts code behind the rest, and returns where it begins.
func (c *codeParts) add(code *codegen.Code) (offset int) {
	offset = c.size
	c.list = append(c.list, code)
	c.size += aligned(len(code.Bytes))
	return offset
}

// load brings all of them into executable memory.
func (c *codeParts) load() (*jit.Code, error) {
	block, at := make([]byte, c.size), 0
	for _, code := range c.list {
		copy(block[at:], code.Bytes)
		at += aligned(len(code.Bytes))
	}
	return jit.New(block)
}

// aligned is a number of bytes with what is left free behind them, so that what comes next lies well too.
func aligned(n int) int { return (n + codegen.Align - 1) &^ (codegen.Align - 1) }
