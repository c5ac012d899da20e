package cpu

import "runtime"

// Flushing is a time in which the calling goroutine takes denormal numbers for zero.
type Flushing struct{ before uint32 }

// FlushDenormals has the calling goroutine take denormal operands and results of arithmetic on float32 and float64
// for zeros of their sign, until End. The goroutine keeps its thread meanwhile, since the setting is a
// thread's: MXCSR.FTZ and MXCSR.DAZ (Intel 64 Software Developer's Manual, volume 1, 10.2.3). Where the processor
// has no such setting, nothing changes.
func FlushDenormals() Flushing {
	runtime.LockOSThread()
	before := floatControl()
	setFloatControl(before | flushBits)
	return Flushing{before}
}

// End goes back to what was before.
func (f Flushing) End() {
	setFloatControl(f.before)
	runtime.UnlockOSThread()
}
