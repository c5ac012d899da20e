//go:build linux && (amd64 || arm64)

package jit

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/asm"
)

// adder adds its second argument to its first as many times as the third says.
func adder(t testing.TB) *Code {
	a := asm.New(asm.Host())
	a.MovLoad(asm.RCX, asm.At(asm.RDI, 16))
	a.MovLoad(asm.RAX, asm.At(asm.RDI, 8))
	top := a.Here()
	a.AddStore(asm.At(asm.RDI, 0), asm.RAX)
	a.SubImm(asm.RCX, 1)
	a.JumpIf(asm.NotEqual, top)
	// Registers that Go's own calling convention keeps must not matter.
	a.Xor(asm.R14, asm.R14)
	a.R(asm.ADDPS, asm.W256, 15, 15, 15)
	a.Zeroupper()
	a.Return()
	_, code := a.Finish()
	c, err := New(code)
	require.NoError(t, err)
	return c
}

func TestCall(t *testing.T) {
	c := adder(t)
	args := [3]int64{1, 2, 1000}
	c.Call(0, unsafe.Pointer(&args))
	require.Equal(t, int64(2001), args[0])
	require.Panics(t, func() { c.Call(c.Size(), nil) })
	require.Panics(t, func() { c.Call(-1, nil) })
}

// TestHammer calls, makes and drops code in many goroutines while garbage is collected
// and stacks are walked and grown.
func TestHammer(t *testing.T) {
	rounds := 3000
	if testing.Short() {
		rounds = 200
	}
	var wg sync.WaitGroup
	shared := adder(t)
	for g := range 16 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range rounds {
				c := shared
				if i%10 == g%10 {
					c = adder(t)
				}
				args := [3]int64{int64(i), int64(g), 50}
				deep(i%64, func() { c.Call(0, unsafe.Pointer(&args)) })
				if want := int64(i + 50*g); args[0] != want {
					t.Errorf("got %d, want %d", args[0], want)
					return
				}
			}
		}()
	}
	stop := make(chan struct{})
	var walker sync.WaitGroup
	walker.Add(1)
	go func() {
		defer walker.Done()
		buf := make([]byte, 1<<16)
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
				runtime.Stack(buf, true)
			}
		}
	}()
	wg.Wait()
	close(stop)
	walker.Wait()
}

// deep calls f below some frames that make the stack grow.
func deep(n int, f func()) {
	var room [256]byte
	if n == 0 {
		f()
		return
	}
	deep(n-1, f)
	runtime.KeepAlive(&room)
}

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

func BenchmarkCall(b *testing.B) {
	a := asm.New(asm.Host())
	a.Zeroupper()
	a.Return()
	_, code := a.Finish()
	c, err := New(code)
	require.NoError(b, err)
	var args [8]int64
	for b.Loop() {
		c.Call(0, unsafe.Pointer(&args))
	}
}
