package backend

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/internal/testkit/emulator"
	"github.com/broadloom/broadloom/kernels/internal/testkit/rowtest"
	"github.com/broadloom/broadloom/kernels/interp"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// emulate makes a kernel whose code is emulated.
func emulate(t *testing.T, p *rowprog.Program, c *codegen.Code) *nativeKernel {
	k := newNativeKernel(p, c, 0)
	k.code = emulator.New(t, c.Bytes, c.Length)
	return k
}

// TestAVX512 compares emulated AVX-512 code with the interpreter on random programs.
func TestAVX512(t *testing.T) {
	seeds := uint64(200)
	if testing.Short() {
		seeds = 20
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 4))
		want := rowtest.Bind(r, rowtest.Program(r))
		c, err := codegen.Compile(want.Program, codegen.AVX512)
		if err != nil {
			continue
		}
		k := emulate(t, want.Program, c)
		reference, err := interp.Compile(want.Program)
		require.NoError(t, err)
		if ahead := fetching(k); len(ahead) > 0 && seed%2 == 0 {
			k = ahead[0]
		}
		got := want.Clone()
		var s Scratch
		wantFault, wantOK := reference.Run(want.Args, &s.portable)
		gotFault, gotOK := k.Run(got.Args, &s)
		if gotFault != wantFault || gotOK != wantOK {
			t.Fatalf("seed %d: fault %v %v, want %v %v\n%v", seed, gotFault, gotOK, wantFault, wantOK, want)
		}
		if diff := want.Diff(got); gotOK && diff != "" {
			t.Fatalf("seed %d: want and got differ at %s\n%v", seed, diff, want)
		}
	}
}
