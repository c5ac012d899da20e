package codegen

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Operations on Bools and integers of 8 bits process a vector of bytes at a time, where bytes are enough for them.
func TestNarrowElementsStayBytes(t *testing.T) {
	for _, tt := range []struct {
		op     rowprog.Op
		x, y   rowprog.Type
		result rowprog.Type
		bytes  bool
	}{
		{rowprog.OpAnd, rowprog.Bool, rowprog.Bool, rowprog.Bool, true},
		{rowprog.OpAdd, rowprog.U8, rowprog.U8, rowprog.U8, true},
		{rowprog.OpMul, rowprog.I8, rowprog.U8, rowprog.I8, true},
		{rowprog.OpMax, rowprog.I8, rowprog.I8, rowprog.I8, true},
		{rowprog.OpLt, rowprog.U8, rowprog.U8, rowprog.Bool, true},
		{rowprog.OpMax, rowprog.I8, rowprog.U8, rowprog.I8, false}, // 200 is more than -1, but not as a byte
		{rowprog.OpAdd, rowprog.U8, rowprog.U8, rowprog.I32, false},
		{rowprog.OpDiv, rowprog.U8, rowprog.U8, rowprog.U8, false},
	} {
		b := rowprog.NewBuilder("bytes", 0)
		load := func(typ rowprog.Type) rowprog.Value {
			return b.Convert(b.Load(b.In("x", typ, rowprog.Vec)), typ.Computed())
		}
		b.Store(b.Out("z", tt.result, rowprog.Vec), b.Convert(b.Apply(tt.op, load(tt.x), load(tt.y)), tt.result))
		p, err := b.Build()
		require.NoError(t, err)
		for _, target := range []Target{AVX2, AVX512, NEON} {
			c := newCompiler(p, target, 0)
			c.findLiveOut()
			require.Equal(t, tt.bytes, c.bytesOf(rowprog.VecSection(0)) != nil, "%v", p)
		}
	}
}
