package dense

import (
	"math"
	"slices"
)

// maxQLSteps is how many times per row the eigenvalues of a tridiagonal matrix come nearer before this is given up:
// three are usual at most.
const maxQLSteps = 40

// rationalQL makes of d, the diagonal of a tridiagonal matrix, its eigenvalues, rising; e is what is beside it. QL
// steps have neither roots nor vectors: Reinsch, A stable rational QR algorithm for the computation of the eigenvalues
// of an Hermitian, tridiagonal matrix, 1971.
func rationalQL(memory Memory, d, e []float64) error {
	n, least := len(d), negligible(d, e)
	squares := e
	for i, v := range e {
		squares[i] = v * v
	}
	left := maxQLSteps * n
	for first := 0; first < n; {
		last := first
		for last < n-1 && squares[last] > least+float64(epsilon*epsilon*math.Abs(d[last]*d[last+1])) {
			last++
		}
		if last == first {
			first++
			continue
		}
		if left--; left < 0 {
			return errNotConverged
		}
		memory.Poll(4 * (last - first))
		rationalQLStep(d[first:last+1], squares[first:last])
	}
	slices.Sort(d)
	return nil
}

// rationalQLStep is one QL step with Wilkinson's shift. The numbers beside the diagonal are squares.
func rationalQLStep(d, squares []float64) {
	beside := math.Sqrt(squares[0])
	half := (d[1] - d[0]) / (2 * beside)
	shift := d[0] - beside/(half+math.Copysign(math.Hypot(half, 1), half))
	cos, sin := 1.0, 0.0
	gamma := d[len(d)-1] - shift
	p := gamma * gamma
	for i := len(squares) - 1; i >= 0; i-- {
		square := squares[i]
		sum := p + square
		if i+1 < len(squares) {
			squares[i+1] = sin * sum
		}
		cosBefore, gammaBefore := cos, gamma
		cos, sin = p/sum, square/sum
		gamma = float64(cos*(d[i]-shift)) - float64(sin*gammaBefore)
		d[i+1] = gammaBefore + (d[i] - gamma)
		if cos != 0 {
			p = gamma * gamma / cos
		} else {
			p = cosBefore * square
		}
	}
	squares[0] = sin * p
	d[0] = shift + gamma
}

// negligible is the square of a number beside the diagonal that counts as 0 at any place.
func negligible(d, e []float64) float64 {
	least := math.Ldexp(max(maxAbs(d), maxAbs(e)), -60)
	return least * least
}

// implicitQL is [rationalQL] with vectors: rows, width apart, that are combined as those of the identity are to become
// the eigenvectors. They are rotated as they come: Martin and Wilkinson, The implicit QL algorithm, 1968.
func implicitQL[T Number](d, e []float64, rows []T, width, columns int) error {
	n, least := len(d), negligible(d, e)
	left := maxQLSteps * n
	for first := 0; first < n; {
		last := first
		for last < n-1 && e[last]*e[last] > least+float64(epsilon*epsilon*math.Abs(d[last]*d[last+1])) {
			last++
		}
		if last == first {
			first++
			continue
		}
		if left--; left < 0 {
			return errNotConverged
		}
		implicitQLStep(d[first:last+1], e[first:last], rows[first*width:], width, columns)
	}
	for i := range n { // the least that is left comes next
		least := i
		for j := i + 1; j < n; j++ {
			if d[j] < d[least] {
				least = j
			}
		}
		if least != i {
			d[i], d[least] = d[least], d[i]
			x, y := rows[i*width:][:columns], rows[least*width:][:columns]
			for c, v := range x {
				x[c], y[c] = y[c], v
			}
		}
	}
	return nil
}

// implicitQLStep is one QL step with Wilkinson's shift: the rotation at the end makes a number beside the diagonals,
// which others move up.
func implicitQLStep[T Number](d, e []float64, rows []T, width, columns int) {
	half := (d[1] - d[0]) / (2 * e[0])
	last := len(e)
	moved := d[last] - d[0] + e[0]/(half+math.Copysign(math.Hypot(half, 1), half))
	cos, sin, shift := 1.0, 1.0, 0.0
	for i := last - 1; i >= 0; i-- {
		out, beside := sin*e[i], cos*e[i]
		length := math.Sqrt(float64(out*out) + float64(moved*moved))
		if i+1 < last {
			e[i+1] = length
		}
		if length == 0 { // the matrix falls into two
			d[i+1] -= shift
			return
		}
		cos, sin = moved/length, out/length
		upper := d[i+1] - shift
		next := float64((d[i]-upper)*sin) + float64(2*cos*beside)
		shift = sin * next
		d[i+1] = upper + shift
		moved = float64(cos*next) - beside
		rotateRows(rows[i*width:][:columns], rows[(i+1)*width:][:columns], T(cos), T(sin))
	}
	d[0] -= shift
	e[0] = moved
}

// rotateRows makes of rows x and y cos·x - sin·y and sin·x + cos·y.
func rotateRows[T Number](x, y []T, cos, sin T) {
	y = y[:len(x)]
	for i, v := range x {
		w := y[i]
		x[i], y[i] = T(cos*v)-T(sin*w), T(sin*v)+T(cos*w)
	}
}
