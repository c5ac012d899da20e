package dense

import (
	"crypto/sha256"
	"encoding/binary"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// bits is a sum over what functions of matrices of some sizes give.
func bits() []byte {
	hash, memory := sha256.New(), &kept{}
	add := func(parts ...[]float64) {
		for _, p := range parts {
			_ = binary.Write(hash, binary.LittleEndian, p)
		}
	}
	addSingle := func(parts ...[]float32) {
		for _, p := range parts {
			_ = binary.Write(hash, binary.LittleEndian, p)
		}
	}
	for _, n := range []int{20, 75, 150} {
		a, b := random(n, n), random(n+9, n)
		x, y, s := make([]float64, n*n), make([]float64, n*n), make([]float64, n)
		_ = PseudoInverse(memory, x, a, n, n, 0, 1e-12)
		add(x)
		_ = PseudoInverse(memory, x, a, n, n, 0, 0.1)
		add(x)
		_ = SVD(memory, x, s, y, a, n, n)
		add(x, s, y)
		u := make([]float64, (n+9)*n)
		_ = SVD(memory, u, s, y, b, n+9, n)
		add(u, s, y)
		copy(x, a)
		_ = Eigh(memory, s, x, n, true)
		add(x, s)
		u32, s32, v32 := make([]float32, (n+9)*n), make([]float32, n), make([]float32, n*n)
		_ = SVD(memory, u32, s32, v32, single(b), n+9, n)
		addSingle(u32, s32, v32)
		v32 = single(a)
		_ = Eigh(memory, s32, v32, n, true)
		addSingle(s32, v32)
		_ = Exp(memory, v32, single(a), n)
		addSingle(v32)
		copy(x, a)
		_ = Schur(memory, x, y, n)
		add(x, y)
		copy(x, a)
		_ = Eig(memory, s, y, nil, nil, x, n)
		add(s, y[:n])
		vim := make([]float64, n*n)
		copy(x, a)
		_ = Eig(memory, s, y[:n], u[:n*n], vim, x, n)
		add(s, y[:n], u[:n*n], vim)
	}
	return hash.Sum(nil)
}

// TestBits compares results on all instruction sets, for which processes start.
func TestBits(t *testing.T) {
	if os.Getenv("DENSE_BITS") != "" {
		require.NoError(t, os.WriteFile(os.Getenv("DENSE_BITS"), bits(), 0o600))
		return
	}
	if testing.Short() {
		t.Skip("starts processes")
	}
	for _, isa := range []string{"portable", "avx2", "avx512"} {
		file := t.TempDir() + "/bits"
		command := exec.Command(os.Args[0], "-test.run=TestBits$")
		command.Env = append(os.Environ(), "BROADLOOM_ISA="+isa, "DENSE_BITS="+file)
		if text, err := command.CombinedOutput(); err != nil {
			require.NotEqual(t, "portable", isa, "%s", text)
			t.Skipf("%s: %s", isa, text) // a machine without it
		}
		got, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, bits(), got, isa)
	}
}
