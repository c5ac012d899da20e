package exec

import (
	"cmp"
	"fmt"
	"os"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/cpu"
)

// VerifyVariable is the environment variable that, set to 1, has Compile verify the program
// after every pass, and each run its memory: for those who change a pass.
const VerifyVariable = "BROADLOOM_VERIFY"

// checkEnvironment refuses variables of the environment that have unknown values.
func checkEnvironment() error {
	if err := cmp.Or(cpu.Err(), cpu.Setting(VerifyVariable, "0", "1")); err != nil {
		return fmt.Errorf("exec: %w", err)
	}
	return nil
}

func verifying() bool { return os.Getenv(VerifyVariable) == "1" }

// verifications are what holds from the end of a pass on, in the order in which it comes
// to hold.
var verifications = []struct {
	from string
	run  func(*unit) error
}{
	{"import", onGraph(verifyGraph)},
	{"expand", onGraph(verifyPrimitive)},
	{"order", onGraph(verifyOrder)},
	{"fuse", func(u *unit) error { return verifyGroups(u.rewriting, u.groups) }},
	{"lower", verifyLoops},
	{"follow", verifyFollowers},
	{"plan", verifyBuffers},
}

// verifyUnit checks what holds after a pass.
func verifyUnit(u *unit, after pass) error {
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
			return inPass(after.name, asInvalid(err))
		}
	}
	return nil
}

// invalid is what a verification found, at a node of the pass's graph or of none.
type invalid struct {
	node *graph.Node
	err  error
}

// Error says what is wrong.
func (e *invalid) Error() string { return e.err.Error() }

func invalidAt(n *graph.Node, format string, args ...any) error {
	return &invalid{n, fmt.Errorf(format, args...)}
}

func asInvalid(err error) *invalid {
	if e, ok := err.(*invalid); ok {
		return e
	}
	return &invalid{err: err}
}
