package backend

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// adding is a program that adds a number.
func adding(t *testing.T, number uint64) *rowprog.Program {
	t.Helper()
	b := rowprog.NewBuilder("adding", 0)
	x, y := b.In("x", rowprog.F64, rowprog.Vec), b.Out("y", rowprog.F64, rowprog.Vec)
	b.Store(y, b.Apply(rowprog.OpAdd, b.Load(x), b.Const(rowprog.F64, float64(number))))
	p, err := b.Build()
	require.NoError(t, err)
	return p
}

func TestCodeIsCompiledOnce(t *testing.T) {
	var c codeCache
	compile := func(number uint64, target codegen.Target) *codegen.Code {
		p := adding(t, number)
		o := c.compile(p, p.Key(), target)
		require.NoError(t, o.err)
		return o.code
	}
	first := compile(1, codegen.AVX2)
	require.Same(t, first, compile(1, codegen.AVX2))
	require.NotEqual(t, first.Bytes, compile(2, codegen.AVX2).Bytes)
	require.NotEqual(t, first.Bytes, compile(1, codegen.AVX512).Bytes)
}

func TestCodeThatNobodyAsksForIsForgotten(t *testing.T) {
	var c codeCache
	fill := func(from int) {
		for i := range 3 {
			c.put(codeKey{program: fmt.Sprint(from + i)},
				outcome{code: &codegen.Code{Bytes: make([]byte, generation/2)}})
		}
	}
	known := func(number int) bool {
		_, known := c.find(codeKey{program: fmt.Sprint(number)})
		return known
	}
	fill(0)
	fill(3)
	require.True(t, known(2)) // and so it stays
	fill(6)
	fill(9)
	require.False(t, known(0))
	require.True(t, known(11))
	require.LessOrEqual(t, len(c.recent)+len(c.before), 6)
}

// Programs that are compiled in parallel, or one after another, have the same code. A program that makes the compiler
// panic does so in the caller's goroutine.
func TestCodeIsCompiledAtOnce(t *testing.T) {
	programs := map[string]*rowprog.Program{}
	for number := range uint64(50) {
		p := adding(t, number)
		programs[p.Key()] = p
	}
	var together, single codeCache
	outcomes := together.compileAll(programs, codegen.AVX2)
	require.Len(t, outcomes, len(programs))
	for key, p := range programs {
		require.NoError(t, outcomes[key].err)
		require.Equal(t, single.compile(p, key, codegen.AVX2).code, outcomes[key].code)
	}
	programs["broken"] = nil
	require.Panics(t, func() { together.compileAll(programs, codegen.AVX2) })
	require.Empty(t, together.compileAll(nil, codegen.AVX2))
}
