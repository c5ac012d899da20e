package gather_test

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/kernels/gather"
)

// TestCodeIsOfTheChosenInstructions expects machine code on amd64, unless plain Go is chosen: in this process, or in a
// separate one.
func TestCodeIsOfTheChosenInstructions(t *testing.T) {
	chosen := runtime.GOARCH == "amd64" && cpu.Chosen() != cpu.Portable
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
