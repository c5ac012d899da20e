package clock

import (
	"math/bits"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

var (
	kernel32  = syscall.NewLazyDLL("kernel32.dll") // each process has it already
	counter   = kernel32.NewProc("QueryPerformanceCounter")
	frequency = kernel32.NewProc("QueryPerformanceFrequency")

	// rate is the counter's frequency, and first its first value. Since Windows XP, neither query fails.
	rate  = sync.OnceValue(func() uint64 { return ask(frequency) })
	first = sync.OnceValue(func() uint64 { return ask(counter) })
)

func ask(what *syscall.LazyProc) (v uint64) {
	_, _, _ = what.Call(uintptr(unsafe.Pointer(&v)))
	return v
}

func now() time.Duration {
	began := first()
	high, low := bits.Mul64(ask(counter)-began, uint64(time.Second))
	ns, _ := bits.Div64(high, low, rate())
	return time.Duration(ns)
}
