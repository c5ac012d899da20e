package dense

import (
	"errors"
	"math"

	kinds "gonum.org/v1/gonum/lapack"
)

var (
	errNotFinite   = errors.New("the algorithm failed to converge because the input matrix contained non-finite values")
	errNoConverged = errors.New("the algorithm failed to converge")
)

func finite(a []float64) bool {
	for _, v := range a {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// SVD writes the singular values of a matrix of n rows and m columns, falling, and its singular vectors: the columns
// of u, of n rows, and the rows of vt, of m columns. There are as many of each as singular values, min(n, m). With nil u and vt
// it computes the values alone.
func SVD(memory Memory, u, s, vt, a []float64, n, m int) error {
	if !finite(a) {
		return errNotFinite
	}
	if n == 0 || m == 0 {
		return nil
	}
	copied := memory.Floats(n * m)
	copy(copied, a)
	job, k := kinds.SVDStore, min(n, m)
	if u == nil {
		job = kinds.SVDNone
	}
	var size [1]float64
	lapack.Dgesvd(job, job, n, m, copied, m, s, u, k, vt, m, size[:], -1)
	work := memory.Floats(int(size[0]))
	if !lapack.Dgesvd(job, job, n, m, copied, m, s, u, k, vt, m, work, len(work)) {
		return errNoConverged
	}
	return nil
}
