package interp

import (
	"math/rand/v2"
	"testing"

	"github.com/broadloom/broadloom/kernels/internal/testkit/reference"
	"github.com/broadloom/broadloom/kernels/internal/testkit/rowtest"
	"github.com/broadloom/broadloom/kernels/launch"
)

// FuzzPortable compares the interpreter with the oracle on random programs.
func FuzzPortable(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(compareWithOracle)
}

func TestRandomPrograms(t *testing.T) {
	for seed := range uint64(1500) {
		if compareWithOracle(t, seed); t.Failed() {
			return
		}
	}
}

// TestLongRows runs on rows that are reduced in chunks.
func TestLongRows(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 5))
		if compareCase(t, seed, rowtest.BindLong(r, rowtest.Program(r))); t.Failed() {
			return
		}
	}
}

func compareWithOracle(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	compareCase(t, seed, rowtest.Bind(r, rowtest.Program(r)))
}

func compareCase(t *testing.T, seed uint64, want *rowtest.Case) {
	got, merged, fast := want.Clone(), want.Clone(), want.Clone()
	k, err := Compile(want.Program)
	if err != nil {
		t.Fatalf("seed %d: %v\n%v", seed, err, want)
	}
	wantFault, wantOK := reference.Run(want.Program, want.Args)
	var s Scratch
	gotFault, gotOK := k.Run(got.Args, &s)
	if gotFault != wantFault || gotOK != wantOK {
		t.Errorf("seed %d: fault %v %v, want %v %v\n%v", seed, gotFault, gotOK, wantFault, wantOK, want)
		return
	}
	if !gotOK {
		return // what has been written is not specified
	}
	if diff := want.Diff(got); diff != "" {
		t.Errorf("seed %d: want and got differ at %s\n%v", seed, diff, want)
		return
	}
	vectors, err := CompileVectors(want.Program)
	if err != nil {
		t.Fatalf("seed %d: %v\n%v", seed, err, want)
	}
	if fault, ok := vectors.Run(fast.Args, &s); !ok {
		t.Errorf("seed %d: vectors: fault %v\n%v", seed, fault, want)
	} else if diff := want.Diff(fast); diff != "" {
		t.Errorf("seed %d: vectors: want and got differ at %s\n%v", seed, diff, want)
	}
	if fault, ok := k.Run(launch.Coalesce(merged.Program, merged.Args), &s); !ok {
		t.Errorf("seed %d: coalesced: fault %v\n%v", seed, fault, want)
	} else if diff := want.Diff(merged); diff != "" {
		t.Errorf("seed %d: coalesced: want and got differ at %s\n%v", seed, diff, want)
	}
}
