package backend

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/interp"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// bothWays compiles a program, and returns what runs it with the interpreter, and what runs it as a kernel: results of
// both have the same bits.
func bothWays(t testing.TB, p *rowprog.Program) [2]func(a *launch.Args) {
	k, err := Compile(p)
	require.NoError(t, err)
	reference, err := interp.Compile(p)
	require.NoError(t, err)
	s := &Scratch{}
	return [2]func(a *launch.Args){
		func(a *launch.Args) { reference.Run(a, &s.portable) },
		func(a *launch.Args) { k.Run(Coalesce(k, a), s) },
	}
}
