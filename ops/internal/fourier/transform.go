package fourier

import (
	"unsafe"

	"gonum.org/v1/gonum/dsp/fourier"
)

var (
	complexPlans = plans[*fourier.CmplxFFT]{make: fourier.NewCmplxFFT}
	realPlans    = plans[*fourier.FFT]{make: fourier.NewFFT}
)

// pairs are numbers as complex ones.
func pairs(x []float64) []complex128 {
	if len(x) < 2 {
		return nil
	}
	return unsafe.Slice((*complex128)(unsafe.Pointer(&x[0])), len(x)/2)
}

// Complex writes the sums of x[j]·exp(-2πi·j·k/n), or with a plus sign, for all k. Both are n pairs.
func Complex(y, x []float64, plus bool) {
	if len(x) == 0 {
		return
	}
	pool := complexPlans.of(len(x) / 2)
	plan := pool.Get().(*fourier.CmplxFFT)
	defer pool.Put(plan)
	if plus {
		plan.Sequence(pairs(y), pairs(x))
	} else {
		plan.Coefficients(pairs(y), pairs(x))
	}
}

// Real writes the sums of x[j]·exp(-2πi·j·k/n) for k up to n/2, of n numbers.
func Real(y, x []float64) {
	if len(x) == 0 {
		clear(y) // sums of nothing
		return
	}
	pool := realPlans.of(len(x))
	plan := pool.Get().(*fourier.FFT)
	defer pool.Put(plan)
	plan.Coefficients(pairs(y), x)
}

// ToReal writes the sums of x[k]·exp(2πi·j·k/n), where x has the n/2+1 first pairs of n, and the others are their conjugates. The
// imaginary parts of the first one and, for even n, of the last do not count.
func ToReal(y, x []float64) {
	if len(y) == 0 {
		return
	}
	pool := realPlans.of(len(y))
	plan := pool.Get().(*fourier.FFT)
	defer pool.Put(plan)
	plan.Sequence(y, pairs(x))
}
