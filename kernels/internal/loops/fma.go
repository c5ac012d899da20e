package loops

import "github.com/broadloom/broadloom/kernels/scalar"

// FMA32 is dst = x*y + z, rounded once.
func FMA32(dst, x, y, z []float32) {
	x, y, z = x[:len(dst)], y[:len(dst)], z[:len(dst)]
	for i := range dst {
		dst[i] = scalar.FMA32(x[i], y[i], z[i])
	}
}

// FMA64 is dst = x*y + z, rounded once.
func FMA64(dst, x, y, z []float64) {
	x, y, z = x[:len(dst)], y[:len(dst)], z[:len(dst)]
	for i := range dst {
		dst[i] = scalar.FMA64(x[i], y[i], z[i])
	}
}
