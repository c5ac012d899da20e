package dense

import "github.com/broadloom/broadloom/kernels/triangular"

// QR makes of a matrix of n rows and m columns, of which there are not more, the factor with orthonormal columns, and
// writes the upper triangle, of m rows.
func QR[T Number](memory Memory, a, r []T, n, m int) {
	tau := triangular.Room[T](memory, m)
	triangular.QR(memory, a, tau, n, m)
	clear(r)
	for i := range m {
		copy(r[i*m+i:(i+1)*m], a[i*m+i:(i+1)*m])
	}
	triangular.Orthonormal(memory, a, a, tau, n, m, m)
}
