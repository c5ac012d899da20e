package dense

import (
	"errors"
	"math"
	"unsafe"

	kinds "gonum.org/v1/gonum/lapack"

	"github.com/broadloom/broadloom/kernels/gemm"
	"github.com/broadloom/broadloom/kernels/triangular"
)

var errEigNotFinite = errors.New("the input tensor contains infs or NaNs")

// Eig writes the eigenvalues of a matrix of n rows, which it overwrites, and, with room for them, its eigenvectors,
// columns of length 1 whose greatest element is real: real and imaginary parts apart.
func Eig(memory Memory, re, im, vre, vim, a []float64, n int) error {
	if !isFinite(a) {
		return errEigNotFinite
	}
	if n == 0 {
		return nil
	}
	if vre == nil {
		return eigenvalues(memory, re, im, a, n)
	}
	if n <= crossoverMultishift || !multishiftEig(memory, re, im, vre, a, n) {
		var size [1]float64
		lapack.Dgeev(kinds.LeftEVNone, kinds.RightEVCompute, n, a, n, re, im, nil, 1, vre, n, size[:], -1)
		work := memory.Floats(int(size[0]))
		if lapack.Dgeev(kinds.LeftEVNone, kinds.RightEVCompute, n, a, n, re, im, nil, 1, vre, n, work, len(work)) != 0 {
			return errNotConverged
		}
	}
	// Columns k and k+1 are the parts of the vector of a pair, the first of which has the positive imaginary part.
	clear(vim)
	for k := 0; k < n; k++ {
		if im[k] == 0 {
			continue
		}
		for i := range n {
			part := vre[i*n+k+1]
			vim[i*n+k], vim[i*n+k+1] = part, -part
			vre[i*n+k+1] = vre[i*n+k]
		}
		k++
	}
	return nil
}

// eigenvalues writes those of a matrix of n rows, which it overwrites.
func eigenvalues(memory Memory, re, im, a []float64, n int) error {
	exponent := scaled(a, maxAbs(a))
	first, last := lapack.Dgebal(kinds.PermuteScale, n, a, n, memory.Floats(n))
	size := last - first + 1
	for i := range n {
		re[i], im[i] = a[i*n+i], 0
	}
	for i := range size { // what is left of the block is not wanted any more
		copy(a[i*size:(i+1)*size], a[(first+i)*n+first:])
	}
	block, tau := a[:size*size], memory.Floats(size-1)
	if size <= crossoverHessenberg {
		lapackHessenberg(memory, block, tau, size)
		for i := 2; i < size; i++ {
			clear(block[i*size : i*size+i-1])
		}
	} else {
		triangular.Hessenberg(memory, block, memory.Floats((size-1)*(size-1)), tau, size)
	}
	err := realSchur(memory, block, nil, re[first:last+1], im[first:last+1], size, false)
	scale(re, exponent)
	scale(im, exponent)
	return err
}

// multishiftEig writes the eigenvalues and eigenvectors of a matrix of n rows, of pairs their parts in two columns. It
// reports whether it could: where exchanges of rows tell some eigenvalues at once, it leaves the matrix as it is.
func multishiftEig(memory Memory, re, im, v, a []float64, n int) bool {
	form, balance := memory.Floats(n*n), memory.Floats(n)
	copy(form, a)
	exponent := scaled(form, maxAbs(form))
	first, last := lapack.Dgebal(kinds.PermuteScale, n, form, n, balance)
	if last-first+1 != n {
		return false
	}
	Hessenberg(memory, form, v, n)
	if realSchur(memory, form, v, re, im, n, true) != nil {
		return false
	}
	schurVectors(memory, form, v, n)
	lapack.Dgebak(kinds.PermuteScale, kinds.EVRight, n, first, last, balance, n, v, n)
	scale(re, exponent)
	scale(im, exponent)
	unitColumns(memory, v, im, n)
	return true
}

// Eigenvectors of a Schur form are multiplied by its vectors this many at a time, and computed as many at a time as
// take some milliseconds, but for the norms of columns, which are computed each time.
const (
	vectorsTogether  = 32
	triangleElements = 1 << 24
	fewVectors       = 4
)

// schurVectors makes of the vectors v of a Schur form of n rows the eigenvectors, of some length, from the last one on:
// each is the product of the vectors up to its place with an eigenvector of the form up to there.
func schurVectors(memory Memory, form, v []float64, n int) {
	words := memory.Floats((n + 7) / 8)
	selected := unsafe.Slice((*bool)(unsafe.Pointer(unsafe.SliceData(words))), n)
	x, y, work := memory.Floats(n*(vectorsTogether+1)), memory.Floats(n*(vectorsTogether+1)), memory.Floats(3*n)
	for end := n; end > 0; {
		first := vectorsBefore(form, n, end, vectorsTogether)
		width := end - first
		clear(x)
		for to := end; to > first; {
			from := max(vectorsBefore(form, n, to, max(triangleElements/(to*to), fewVectors)), first)
			memory.Poll(to * to * (to - from))
			for i := range selected[:to] {
				selected[i] = i >= from
			}
			lapack.Dtrevc3(kinds.EVRight, kinds.EVSelected, selected[:to], to, form, n, nil, 1, x[from-first:], width,
				to-from, work, len(work))
			to = from
		}
		run(memory, gemm.Product[float64]{M: n, N: width, K: end, A: rowByRow(v, n), B: rowByRow(x, width),
			C: rowByRow(y, width)})
		for i := range n {
			copy(v[i*n+first:i*n+end], y[i*width:])
		}
		end = first
	}
}

// vectorsBefore is the place of the first of some vectors before an end, which divides no pair.
func vectorsBefore(form []float64, n, end, count int) (first int) {
	first = max(end-count, 0)
	if first > 0 && form[first*n+first-1] != 0 {
		first--
	}
	return first
}

// unitColumns makes vectors have length 1, and those of pairs, which are two columns, a greatest element that is real.
func unitColumns(memory Memory, v, im []float64, n int) {
	greatest := memory.Floats(n) // so that squares stay in range
	clear(greatest)
	for i := range n {
		for c, x := range v[i*n : (i+1)*n] {
			greatest[c] = max(greatest[c], math.Abs(x))
		}
	}
	for c := 0; c < n; c++ {
		isPair := im[c] != 0
		by := greatest[c]
		if isPair {
			by = max(by, greatest[c+1])
		}
		sum, most, cos, sin := 0.0, 0.0, 1.0, 0.0
		for i := range n {
			x, y := v[i*n+c]/by, 0.0
			if isPair {
				y = v[i*n+c+1] / by
			}
			square := float64(x*x) + float64(y*y)
			if sum += square; square > most {
				most, cos, sin = square, x, y
			}
		}
		length, turn := math.Sqrt(sum), math.Sqrt(most)
		cos, sin = cos/turn, sin/turn
		for i := range n {
			x := v[i*n+c] / by / length
			if !isPair {
				v[i*n+c] = x
				continue
			}
			y := v[i*n+c+1] / by / length
			v[i*n+c], v[i*n+c+1] = float64(cos*x)+float64(sin*y), float64(cos*y)-float64(sin*x)
		}
		if isPair {
			c++
		}
	}
}
