package backend

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/kernels/internal/testkit/rowtest"
	"github.com/broadloom/broadloom/kernels/interp"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Blocks of short rows have the same bits as rows one after the other, whatever a program computes from them.
func TestBlocksOfRows(t *testing.T) {
	if cpu.Chosen() < cpu.AVX2 || !cpu.JIT() {
		t.Skip("there is no machine code here")
	}
	seeds, blocks := uint64(5000), map[int]int{}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 11))
		p := rowtest.ShortRows(r, rowtest.Independent(r))
		k, err := Compile(p)
		require.NoError(t, err)
		m, ok := k.(*nativeKernel)
		if !ok || m.layout.Blocks == nil {
			continue // as of most programs, which need no data
		}
		if want := rowtest.BindBlocks(r, p); m.isPlain(want.Args) && m.blocks(want.Args) != 0 {
			blocks[m.blocks(want.Args)]++
			requireSameCase(t, fmt.Sprint("seed ", seed), want, k)
		}
	}
	require.Greater(t, blocks[codegen.SomeBlocks], int(seeds)/200)
	require.Greater(t, blocks[codegen.DenseBlocks], int(seeds)/40)
}

// So do they with emulated AVX-512.
func TestBlocksOfRowsEmulated(t *testing.T) {
	seeds := uint64(300)
	if testing.Short() {
		seeds = 30
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 12))
		p := rowtest.ShortRows(r, rowtest.Independent(r))
		if c, err := codegen.Compile(p, codegen.AVX512); err == nil && c.Layout.Blocks != nil {
			requireSameCase(t, fmt.Sprint("seed ", seed), rowtest.BindBlocks(r, p), emulate(t, p, c))
		}
	}
}

// requireSameCase compares a kernel with the interpreter.
func requireSameCase(t *testing.T, name string, want *rowtest.Case, k Kernel) {
	got := want.Clone()
	reference, err := interp.Compile(want.Program)
	require.NoError(t, err)
	var s Scratch
	wantFault, wantOK := reference.Run(want.Args, &s.portable)
	gotFault, gotOK := k.Run(got.Args, &s)
	require.Equal(t, wantOK, gotOK, "%s\n%v", name, want)
	require.Equal(t, wantFault, gotFault, "%s\n%v", name, want)
	if diff := want.Diff(got); gotOK && diff != "" {
		t.Fatalf("%s: want and got differ at %s\n%v", name, diff, want)
	}
}

// Every reduction of every type has the same bits, for rows of any length.
func TestReductionsInBlocks(t *testing.T) {
	lengths := []int{2, 3, 7, 8, 9, 15, 16, 17, 32, 33, 49, 63, 64, 65, 100, 130, 256}
	if testing.Short() {
		lengths = []int{3, 16, 49, 130}
	}
	for _, typ := range []rowprog.Type{rowprog.F32, rowprog.F64, rowprog.I32, rowprog.I64, rowprog.Bool} {
		for kind := rowprog.Sum; kind <= rowprog.MaxNumber; kind++ {
			if !kind.Accepts(typ) {
				continue
			}
			for _, n := range lengths {
				b := rowprog.NewBuilder("reduce", 1)
				b.Row(n)
				x := b.Reduce(kind, b.Load(b.In("x", typ, rowprog.Vec)))
				b.Store(b.Out("y", b.TypeOf(x), rowprog.Row), x)
				p := build(t, b)
				kernels := backends(t, p)
				for seed := range uint64(6) {
					want := rowtest.BindBlocks(rand.New(rand.NewPCG(seed, uint64(n))), p)
					for i, k := range kernels[1:] {
						requireSameCase(t, fmt.Sprintf("%v of %v elements of %v, kernel %d, seed %d", kind, n, typ, i,
							seed), want.Clone(), k)
					}
				}
			}
		}
	}
}
