package backend

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/internal/testkit/emulator"
	"github.com/broadloom/broadloom/kernels/internal/testkit/rowtest"
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
		if ahead := fetching(k); len(ahead) > 0 && seed%2 == 0 {
			k = ahead[0]
		}
		requireSameCase(t, fmt.Sprint("seed ", seed), want, k)
	}
}
