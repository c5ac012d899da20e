package difftest

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// check requires that a program agrees with the evaluator, and gives its code otherwise.
func check(t *testing.T, seed uint64) Verdict {
	t.Helper()
	p := Generate(seed)
	v := Check(p)
	if v.Fault != "" {
		t.Errorf("program %d: %s: %s\n%s", seed, v.Fault, v.Detail, Source(p, v.Binding))
	}
	return v
}

func TestProgramsAgree(t *testing.T) {
	count := uint64(250)
	if testing.Short() {
		count = 60
	}
	ran := uint64(0)
	for seed := range count {
		if check(t, 1000+seed).Refused == "" {
			ran++
		}
	}
	require.Greater(t, ran, count*9/10, "nearly all programs should run")
}

func FuzzPrograms(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { check(t, seed) })
}

// TestEveryOperationIsDrawn expects programs to have all operations that can be written.
func TestEveryOperationIsDrawn(t *testing.T) {
	if testing.Short() {
		t.Skip("draws many programs")
	}
	missing := map[string]bool{}
	for op := range calls {
		missing[op] = true
		require.NotNil(t, eager.Entries[op], op)
	}
	for seed := uint64(0); seed < 20_000 && len(missing) > 0; seed++ {
		for _, s := range Generate(seed).Steps {
			delete(missing, s.Op)
		}
	}
	require.Empty(t, missing)
}

// TestShrink makes a program small whose fault is that it has a matrix product.
func TestShrink(t *testing.T) {
	has := func(p *Program) bool {
		for _, s := range p.Steps {
			if s.Op == "MatMul" {
				return true
			}
		}
		return false
	}
	seed := uint64(0)
	for p := Generate(seed); !has(p) || len(p.Steps) < 8; p = Generate(seed) {
		seed++
	}
	p := Shrink(Generate(seed), has)
	require.Len(t, p.Steps, 1)
	require.Len(t, p.Bindings, 1)
}

func TestSoak(t *testing.T) {
	require.NoError(t, Soak(20, 400, func(line string) { t.Log(line) }))
}

// TestTorch compares with PyTorch where BROADLOOM_TORCH names a command that runs a Python file.
func TestTorch(t *testing.T) {
	python := os.Getenv("BROADLOOM_TORCH")
	if python == "" {
		t.Skip("BROADLOOM_TORCH names no Python with PyTorch")
	}
	seeds := []uint64{3, 406, 555, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007}
	require.NoError(t, Torch(python, seeds, func(v Verdict) { require.Empty(t, v.Fault, v.Detail) }))
}
