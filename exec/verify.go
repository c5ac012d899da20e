package exec

import (
	"cmp"
	"fmt"
	"os"

	"github.com/broadloom/broadloom/exec/internal/bug"
	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/exec/internal/outline"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/kernels/cpu"
)

// VerifyVariable is the environment variable that, set to 1, makes Compile verify the program after every pass, and
// each run its memory: for the development of passes.
const VerifyVariable = "BROADLOOM_VERIFY"

// checkEnvironment rejects environment variables with unknown values.
func checkEnvironment() error {
	if err := cmp.Or(cpu.Err(), cpu.Setting(VerifyVariable, "0", "1")); err != nil {
		return fmt.Errorf("exec: %w", err)
	}
	return nil
}

func verifying() bool { return os.Getenv(VerifyVariable) == "1" }

// verifications lists what must hold after a pass and all later ones, in the order of these passes.
var verifications = []struct {
	from string
	run  func(*lower.Program) error
}{
	{"import", onGraph(rewrite.VerifyGraph)},
	{"expand", onGraph(rewrite.VerifyPrimitive)},
	{"outline", onGraph(outline.Verify)},
	{"sequence", onGraph(rewrite.VerifyOrder)},
	{"fuse", func(u *lower.Program) error { return fusion.VerifyGroups(u.Program, u.Groups) }},
	{"lower", lower.VerifyLoops},
	{"find-chains", lower.VerifyChains},
	{"fuse-with-matmul", lower.VerifyMatMulFusion},
	{"assign-buffers", lower.VerifyBuffers},
}

// verifyUnit checks what must hold after a pass.
func verifyUnit(u *lower.Program, after pass) error {
	done := map[string]bool{}
	for _, p := range passes {
		done[p.name] = true
		if p.name == after.name {
			break
		}
	}
	for _, v := range verifications {
		if !done[v.from] {
			continue
		}
		if err := v.run(u); err != nil {
			return inPass(after.name, bug.As(err))
		}
	}
	return nil
}
