//go:build amd64 || arm64

package jit

import (
	"errors"
	"runtime"
	"sync"
	"testing"
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
	// Code may change registers that Go's calling convention reserves.
	a.Xor(asm.R14, asm.R14)
	a.R(asm.ADDPS, asm.W256, 15, 15, 15)
	a.Zeroupper()
	a.Return()
	_, code := a.Finish()
	return made(t, code)
}

// made is code in executable memory. The test is skipped if the system provides none, except on systems that are known
// to.
func made(t testing.TB, code []byte) *Code {
	c, err := New(code)
	if errors.Is(err, ErrUnavailable) && runtime.GOOS != "linux" && runtime.GOOS != "windows" {
		t.Skip(err)
	}
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

func BenchmarkCall(b *testing.B) {
	a := asm.New(asm.Host())
	a.Zeroupper()
	a.Return()
	_, code := a.Finish()
	c := made(b, code)
	var args [8]int64
	for b.Loop() {
		c.Call(0, unsafe.Pointer(&args))
	}
}
