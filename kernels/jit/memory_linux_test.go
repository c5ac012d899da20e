//go:build amd64 || arm64

package jit

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// mappings is the number of executable private mappings without a file.
func mappings(t *testing.T) (n int) {
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	for len(maps) > 0 {
		end := 0
		for end < len(maps) && maps[end] != '\n' {
			end++
		}
		line := string(maps[:end])
		if len(line) > 0 && line[len(line)-1] == ' ' && len(line) > 30 && containsPerm(line) {
			n++
		}
		maps = maps[min(end+1, len(maps)):]
	}
	return n
}

func containsPerm(line string) bool {
	for i := 0; i+4 <= len(line); i++ {
		if line[i:i+4] == "r-xp" {
			return true
		}
	}
	return false
}

// TestMemoryIsGivenBack drops code and waits for its memory to be unmapped.
func TestMemoryIsGivenBack(t *testing.T) {
	before := mappings(t)
	var kept []*Code
	for range 50 {
		kept = append(kept, adder(t))
	}
	runtime.KeepAlive(kept)
	kept = nil
	require.Eventually(t, func() bool {
		runtime.GC()
		return mappings(t) <= before+1
	}, 5*time.Second, 10*time.Millisecond)
}

// TestRefusedMemory runs itself in a process that may not make memory executable.
func TestRefusedMemory(t *testing.T) {
	if os.Getenv("JIT_TEST_REFUSED") == "" {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestRefusedMemory$", "-test.v")
		cmd.Env = append(os.Environ(), "JIT_TEST_REFUSED=1")
		out, err := cmd.CombinedOutput()
		if errors.Is(err, syscall.ENOEXEC) {
			t.Skip("an emulator runs this program alone")
		}
		require.NoError(t, err, string(out))
		if string(out) != "" {
			t.Log(string(out))
		}
		return
	}
	runtime.LockOSThread()
	const prSetMDWE, refuseExecGain = 65, 1
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetMDWE, refuseExecGain, 0); errno != 0 {
		t.Skipf("the kernel cannot deny executable memory: %v", errno)
	}
	_, err := New([]byte{0xc3})
	require.ErrorIs(t, err, ErrUnavailable)
}
