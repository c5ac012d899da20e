package backend

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/kernels/internal/testkit/rowtest"
	"github.com/broadloom/broadloom/kernels/interp"
	"github.com/broadloom/broadloom/kernels/launch"
)

// FuzzMachine compares machine code with the interpreter on random programs.
func FuzzMachine(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { compare(t, seed) })
}

func TestRandomPrograms(t *testing.T) {
	if cpu.Chosen() < cpu.AVX2 || !cpu.JIT() {
		t.Skip("there is no machine code here")
	}
	machine, programs := 0, uint64(2500)
	if testing.Short() {
		// which reach all statements of the code generator that 2500 do, with the programs of blocks of rows
		programs = 800
	}
	for seed := range programs {
		if compare(t, seed) {
			machine++
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d of %d programs were machine code", machine, programs)
	require.Greater(t, machine, int(programs)/5)
}

// compare reports whether the program was machine code.
func compare(t *testing.T, seed uint64) bool {
	r := rand.New(rand.NewPCG(seed, 2))
	want := rowtest.Bind(r, rowtest.Program(r))
	k, err := Compile(want.Program)
	require.NoError(t, err)
	if !k.Machine() {
		return false
	}
	original, got, merged := want.Clone(), want.Clone(), want.Clone()
	reference, err := interp.Compile(want.Program)
	require.NoError(t, err)
	var s Scratch
	wantFault, wantOK := reference.Run(want.Args, &s.portable)
	gotFault, gotOK := k.Run(got.Args, &s)
	if gotFault != wantFault || gotOK != wantOK {
		t.Errorf("seed %d: fault %v %v, want %v %v\n%v", seed, gotFault, gotOK, wantFault, wantOK, want)
		return true
	}
	if !gotOK {
		return true // what has been written is not specified
	}
	if diff := want.Diff(got); diff != "" {
		t.Errorf("seed %d: want and got differ at %s\n%v", seed, diff, want)
		return true
	}
	if fault, ok := k.Run(launch.Coalesce(merged.Program, merged.Args), &s); !ok {
		t.Errorf("seed %d: coalesced: fault %v\n%v", seed, fault, want)
	} else if diff := want.Diff(merged); diff != "" {
		t.Errorf("seed %d: coalesced: want and got differ at %s\n%v", seed, diff, want)
	}
	for _, ahead := range fetching(k.(*nativeKernel)) {
		got := original.Clone()
		if fault, ok := ahead.Run(got.Args, &s); !ok {
			t.Errorf("seed %d: operand %d fetched ahead: fault %v\n%v", seed, ahead.prefetches[0], fault, want)
		} else if diff := want.Diff(got); diff != "" {
			t.Errorf("seed %d: operand %d fetched ahead: want and got differ at %s\n%v", seed, ahead.prefetches[0],
				diff, want)
		}
	}
	return true
}

// fetching returns kernels that prefetch an operand although it is small, one for each operand that k can prefetch.
func fetching(k *nativeKernel) (list []*nativeKernel) {
	for _, i := range k.prefetches {
		ahead := *k
		ahead.prefetches, ahead.prefetchSizes = []int{i}, sizes{0, math.MaxInt}
		list = append(list, &ahead)
	}
	return list
}
