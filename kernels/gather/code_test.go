package gather_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/kernels/gather"
)

// TestCodeIsOfTheChosenInstructions wants no machine code where AVX2 is not chosen: in this process, and in one for which plain Go is.
func TestCodeIsOfTheChosenInstructions(t *testing.T) {
	chosen := cpu.Chosen() >= cpu.AVX2
	require.Equal(t, chosen, gather.TakeCode() != nil)
	require.Equal(t, chosen, gather.PutCode() != nil)
	if !chosen {
		return
	}
	portable := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	portable.Env = append(os.Environ(), "BROADLOOM_ISA=portable")
	out, err := portable.CombinedOutput()
	require.NoError(t, err, string(out))
}
