package xla

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// IREEVariable is the environment variable that names iree-opt, the parser and verifier of IREE's compiler: it is no
// part of XLA. pip install iree-base-compiler.
const IREEVariable = "BROADLOOM_IREE_OPT"

// Verify returns what iree-opt says of each program, "" where it is in order. It skips the test where there is none.
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
