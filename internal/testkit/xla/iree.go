package xla

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// IREEVariable is the environment variable that names iree-opt, the parser and verifier of IREE's compiler, which is
// not part of XLA. pip install iree-base-compiler.
const IREEVariable = "BROADLOOM_IREE_OPT"

// Verify returns iree-opt's errors for each program, "" if it has none. It skips the test if there is no iree-opt.
func Verify(t testing.TB, programs []Program) (found []string) {
	program := os.Getenv(IREEVariable)
	if program == "" {
		program = "iree-opt"
	}
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%v: %s names iree-opt (pip install iree-base-compiler)", err, IREEVariable)
	}
	for _, p := range programs {
		cmd := exec.CommandContext(t.Context(), path, "-", "-o", os.DevNull)
		cmd.Stdin = strings.NewReader(p.Text)
		out, err := cmd.CombinedOutput()
		said := ""
		if err != nil {
			said = strings.TrimSpace(err.Error() + " " + string(out))
		}
		found = append(found, said)
	}
	return found
}
