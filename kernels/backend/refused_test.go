//go:build linux

package backend

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/kernels/interp"
	"github.com/broadloom/broadloom/kernels/launch"
)

// again runs a test in a separate process with a variable set, unless this is that process.
func again(t *testing.T, variable, value string) (child bool) {
	if os.Getenv("BACKEND_TEST_CHILD") != "" {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), "BACKEND_TEST_CHILD=1", variable+"="+value)
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skip("an emulator runs this program alone")
	}
	require.NoError(t, err, string(out))
	return false
}

// TestRefusedMemory runs when the system refuses executable memory.
func TestRefusedMemory(t *testing.T) {
	if !again(t, "REFUSE", "1") {
		return
	}
	runtime.LockOSThread()
	const prSetMDWE, refuseExecGain = 65, 1
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetMDWE, refuseExecGain, 0); errno != 0 {
		t.Skipf("the kernel cannot deny executable memory: %v", errno)
	}
	runsInterpreted(t)
}

// TestSwitchedOff runs with machine code switched off.
func TestSwitchedOff(t *testing.T) {
	for _, v := range [][2]string{{"BROADLOOM_JIT", "0"}, {"BROADLOOM_ISA", "portable"}} {
		if again(t, v[0], v[1]) {
			runsInterpreted(t)
			return
		}
	}
}

func runsInterpreted(t *testing.T) {
	p := softmax(t)
	k, err := Compile(p)
	require.NoError(t, err)
	require.False(t, k.Machine())
	got, want := square(p, 20), square(p, 20)
	_, ok := k.Run(got, &Scratch{})
	require.True(t, ok)
	c, err := interp.Compile(p)
	require.NoError(t, err)
	c.Run(want, &interp.Scratch{})
	require.Equal(t, unsafe.Slice((*float32)(want.Ptr[1]), 400), unsafe.Slice((*float32)(got.Ptr[1]), 400))
}

// TestDump expects the program and its code in the directory that BROADLOOM_DUMP names.
func TestDump(t *testing.T) {
	if !cpu.JIT() || cpu.Chosen() == cpu.Portable {
		t.Skip("there is no machine code here")
	}
	dir := os.Getenv("BROADLOOM_DUMP")
	if dir == "" {
		dir = t.TempDir()
	}
	if !again(t, "BROADLOOM_DUMP", dir) {
		return
	}
	_, err := Compile(tanhChain(t))
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(dir, "chain-*.txt"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.Contains(t, string(text), "tanh v")
	require.Contains(t, string(text), "bytes of code")
}

// TestPastTheCaches compares results that are large enough to be written past the
// caches, in rows of odd length and aligned or not.
func TestPastTheCaches(t *testing.T) {
	p := tanhChain(t)
	k, err := Compile(p)
	require.NoError(t, err)
	c, err := interp.Compile(p)
	require.NoError(t, err)
	const rows, n = 2, largeBytes/4 + 13
	for _, pitch := range []int{n + 3, n} { // 16·k floats, or not
		a := launch.New(p)
		a.N, a.Outer[0] = n, rows
		x := make([]float32, rows*pitch+16)
		for i := range x {
			x[i] = float32(i%1001)/250 - 2
		}
		bias := []float32{0.25, -0.5}
		a.Ptr[0], a.Stride[0][0], a.Stride[0][1] = unsafe.Pointer(&x[0]), pitch, 1
		a.Ptr[1], a.Stride[1][0], a.Stride[1][1] = unsafe.Pointer(&x[5]), 0, 1
		a.Ptr[2], a.Stride[2][0] = unsafe.Pointer(&bias[0]), 1
		run := func(run func(a *launch.Args)) []float32 {
			out := make([]float32, rows*pitch)
			a.Ptr[3], a.Stride[3][0], a.Stride[3][1] = unsafe.Pointer(&out[0]), pitch, 1
			run(a)
			return out
		}
		got := run(func(a *launch.Args) { k.Run(a, &Scratch{}) })
		want := run(func(a *launch.Args) { c.Run(a, &interp.Scratch{}) })
		for i := range want {
			if want[i] != got[i] {
				t.Fatalf("pitch %d, element %d: %v, want %v", pitch, i, got[i], want[i])
			}
		}
	}
}
