package dense

import "github.com/broadloom/broadloom/kernels/triangular"

// QR makes of a matrix of n rows and m columns, of which there are not more, the factor with orthonormal columns, and writes the
// upper triangle, of m rows.
func QR(memory Memory, a, r []float64, n, m int) {
	tau := memory.Floats(m)
	triangular.QR(memory, a, tau, n, m)
	clear(r)
	for i := range m {
		copy(r[i*m+i:(i+1)*m], a[i*m+i:(i+1)*m])
	}
	triangular.Orthonormal(memory, a, a, tau, n, m, m)
}
