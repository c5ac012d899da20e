package exec_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"os"
	osexec "os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// digest computes a training run and a program of every kind of kernel, and gives a hash
// of all bits.
func digest(t *testing.T) string {
	h := fnv.New64a()
	s, loss, feed := classifier(t)
	for range 50 {
		out, err := s.Run(context.Background(), feed)
		require.NoError(t, err)
		require.NoError(t, binary.Write(h, binary.LittleEndian, out.Scalar(loss)))
	}
	prog, outputs, feed := wide(t)
	for _, values := range run(t, prog.NewSession(), outputs, feed) {
		require.NoError(t, binary.Write(h, binary.LittleEndian, values))
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// The instruction set is chosen when a process starts, so each runs in one of its own.
func TestEveryInstructionSetGivesTheSameBits(t *testing.T) {
	const asked = "BROADLOOM_TEST_DIGEST"
	if os.Getenv(asked) != "" {
		fmt.Println("digest", digest(t))
		return
	}
	if testing.Short() {
		t.Skip("starts a process for each instruction set")
	}
	want := digest(t)
	for _, setting := range []string{"BROADLOOM_ISA=portable", "BROADLOOM_ISA=avx2", "BROADLOOM_ISA=avx512", "BROADLOOM_JIT=0", "GOGC=1"} {
		cmd := osexec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestEveryInstructionSetGivesTheSameBits$")
		cmd.Env = append(os.Environ(), asked+"=1", setting)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", setting, out)
		_, got, found := strings.Cut(string(out), "digest ")
		require.True(t, found, "%s: %s", setting, out)
		require.Equal(t, want, strings.Fields(got)[0], setting)
	}
}
