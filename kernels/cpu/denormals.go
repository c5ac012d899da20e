package cpu

import "runtime"

// Flushing is a period in which the calling goroutine treats denormal numbers as zeros.
type Flushing struct{ before uint32 }

// FlushDenormals makes the calling goroutine treat denormal operands and results of arithmetic on float32 and float64
// as zeros of their sign, until End. The goroutine is locked to its thread meanwhile, since the setting is the
// thread's: MXCSR.FTZ and MXCSR.DAZ (Intel 64 Software Developer's Manual, volume 1, 10.2.3). If the processor has no
// such setting, nothing changes.
func FlushDenormals() Flushing {
	runtime.LockOSThread()
	before := floatControl()
	setFloatControl(before | flushBits)
	return Flushing{before}
}

// End restores the previous setting.
func (f Flushing) End() {
	setFloatControl(f.before)
	runtime.UnlockOSThread()
}
