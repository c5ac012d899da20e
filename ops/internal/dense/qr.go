package dense

// QR makes of a matrix of n rows and m columns, of which there are not more, the factor with orthonormal columns, and writes the
// upper triangle, of m rows.
func QR(memory Memory, a, r []float64, n, m int) {
	if m == 0 {
		return
	}
	var size [1]float64
	tau := memory.Floats(m)
	lapack.Dgeqrf(n, m, a, m, tau, size[:], -1)
	room := int(size[0])
	lapack.Dorgqr(n, m, m, a, m, tau, size[:], -1)
	work := memory.Floats(max(room, int(size[0])))
	lapack.Dgeqrf(n, m, a, m, tau, work, len(work))
	clear(r)
	for i := range m {
		copy(r[i*m+i:(i+1)*m], a[i*m+i:(i+1)*m])
	}
	lapack.Dorgqr(n, m, m, a, m, tau, work, len(work))
}

// Reflections makes of a matrix of n rows and m columns its R and, below the diagonal, the reflections whose product is its Q, and
// writes their factors.
func Reflections(memory Memory, a, tau []float64, n, m int) {
	if n == 0 || m == 0 {
		return
	}
	var size [1]float64
	lapack.Dgeqrf(n, m, a, m, tau, size[:], -1)
	work := memory.Floats(int(size[0]))
	lapack.Dgeqrf(n, m, a, m, tau, work, len(work))
}
