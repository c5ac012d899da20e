package triangular

import "math"

// blockColumns is how many columns have their reflections applied to others at once.
const blockColumns = 32

// QR makes of a matrix of n rows and m columns the triangle R and, below its diagonal, the reflections whose product is
// Q, as LAPACK has them: 1 - tau·v·vᵀ, where the first element of v, on the diagonal, is 1. There are as many as the
// lesser of n and m. Those of some columns are applied to others together, as 1 - V·T·Vᵀ with T = (D⁻¹ + S)⁻¹, where D
// has tau on its diagonal, and S is Vᵀ·V above its diagonal: Schreiber and Van Loan, A Storage-Efficient WY
// Representation, 1989.
func QR[T Number](memory Memory, a, tau []T, n, m int) {
	if n == 0 || m == 0 {
		return
	}
	f := newReflecting(memory, a, tau, n, m, m)
	for first := 0; first < len(tau); first += blockColumns {
		end := min(first+blockColumns, f.all.columns)
		f.factorColumns(first, end)
		if end < f.all.columns {
			f.formBlock(first, end)
			f.applyBlock(&f.all, first, end, f.all.columns, true)
		}
	}
	for i := range n {
		copy(a[i*m:(i+1)*m], f.all.row(i))
	}
}

// Orthonormal writes the first k columns of the product Q of the reflections in a matrix of n rows and m columns, as
// [QR] gives them. Its rows are k apart; it may be a.
func Orthonormal[T Number](memory Memory, q, a, tau []T, n, m, k int) {
	if n == 0 || k == 0 {
		return
	}
	f := newReflecting(memory, a, tau, n, m, k)
	f.multiplyByQ(memory, q, k, ofIdentity)
}

// Reflect makes of y, of n rows and k columns, Q·y, for the product Q of the reflections in a matrix of n rows and m
// columns. There are as many as tau has numbers, of any size.
func Reflect[T Number](memory Memory, y, a, tau []T, n, m, k int) {
	if n == 0 || k == 0 {
		return
	}
	f := newReflecting(memory, a, tau, n, m, k)
	f.multiplyByQ(memory, y, k, ofGiven)
}

// ReflectBack is [Reflect] with Qᵀ.
func ReflectBack[T Number](memory Memory, y, a, tau []T, n, m, k int) {
	if n == 0 || k == 0 {
		return
	}
	f := newReflecting(memory, a, tau, n, m, k)
	f.multiplyByQ(memory, y, k, transposedOfGiven)
}

// factor is what is multiplied with Q.
type factor int

const (
	ofIdentity        factor = iota // its first columns
	ofGiven                         // columns that are given
	transposedOfGiven               // with Qᵀ
)

// multiplyByQ makes of k columns their products with Q.
func (f *qrFactoring[T]) multiplyByQ(memory Memory, to []T, k int, of factor) {
	y := newMatrix[T](memory, f.n+sideOf[T](), k)
	for i := range y.rows {
		row, have := y.row(i), 0
		if i < f.n && of != ofIdentity {
			have = copy(row, to[i*k:(i+1)*k])
		}
		clear(row[have:])
		if i < k && of == ofIdentity {
			row[i] = 1
		}
	}
	blocks := (len(f.tau) + blockColumns - 1) / blockColumns
	zeros, end := y.columns, f.n // columns that have zeros in rows from the block's on
	for i := range blocks {
		first, from := (blocks-1-i)*blockColumns, 0
		if of == transposedOfGiven {
			first = i * blockColumns
		} else {
			for row := first; row < end; row++ {
				zeros = leadingZeros(y.row(row)[:zeros])
			}
			end, from = first, zeros/sideOf[T]()*sideOf[T]()
		}
		f.formBlock(first, min(first+blockColumns, roundUp[T](len(f.tau))))
		f.applyBlock(&y, first, from, y.columns, of == transposedOfGiven)
	}
	for i := range f.n {
		copy(to[i*k:(i+1)*k], y.row(i))
	}
}

func leadingZeros[T Number](x []T) int {
	for i, v := range x {
		if v != 0 {
			return i
		}
	}
	return len(x)
}

// qrFactoring is a matrix that becomes a triangle and reflections.
type qrFactoring[T Number] struct {
	all  matrix[T] // with side rows of zeros behind its own
	rows int       // multiples of side
	n    int       // rows of the user's
	tau  []T
	// The reflections that are applied: V, the triangle D⁻¹ + Sᵀ, and room for products with V.
	v, t, w matrix[T]
	dots    matrix[T] // of a column with others
}

// newReflecting copies a matrix. Reflections are applied to matrices of up to some columns.
func newReflecting[T Number](memory Memory, a, tau []T, n, m, columns int) qrFactoring[T] {
	f := qrFactoring[T]{all: newMatrix[T](memory, n+sideOf[T](), m), rows: roundUp[T](n), n: n, tau: tau}
	for i := range f.all.rows {
		row, have := f.all.row(i), 0
		if i < n {
			have = copy(row, a[i*m:(i+1)*m])
		}
		clear(row[have:])
	}
	f.v, f.t, f.w = newMatrix[T](memory, n, blockColumns), newMatrix[T](memory, blockColumns, blockColumns),
		newMatrix[T](memory, blockColumns, max(columns, m))
	f.dots = newMatrix[T](memory, sideOf[T](), sideOf[T]())
	return f
}

// factorColumns makes columns up to an end a triangle, in halves, down to side of them.
func (f *qrFactoring[T]) factorColumns(first, end int) {
	if first >= len(f.tau) {
		return
	}
	if end-first <= sideOf[T]() {
		f.factorPanel(first)
		return
	}
	middle := first + (end-first)/2/sideOf[T]()*sideOf[T]()
	f.factorColumns(first, middle)
	f.formBlock(first, middle)
	f.applyBlock(&f.all, first, middle, end, true)
	f.factorColumns(middle, end)
}

// factorPanel makes side columns a triangle, one by one.
func (f *qrFactoring[T]) factorPanel(first int) {
	for j := first; j < min(first+sideOf[T](), len(f.tau)); j++ {
		f.tau[j] = householder(f.all.numbers[j*f.all.stride+j:], f.all.stride, f.n-j)
		if f.tau[j] == 0 {
			continue
		}
		// The products of v with the columns, and what is taken from these.
		for i := range sideOf[T]() {
			clear(f.dots.row(i))
		}
		s := system[T]{memory: f.all.memory, l: f.all.at(j+1, first), lRow: bytesOf[T](), lColumn: f.all.step(),
			x:    f.all.at(j+1, first),
			xRow: f.all.step(),
			c:    f.dots.first, cRow: f.dots.step(), rows: sideOf[T](), columns: sideOf[T]()}
		s.run(f.rows - j - 1)
		own, share := f.all.row(j)[first:first+sideOf[T]()], f.dots.row(j-first)
		for c := range share {
			if c <= j-first {
				share[c] = 0
				continue
			}
			share[c] = f.tau[j] * (own[c] - share[c])
			own[c] -= share[c]
		}
		s = system[T]{memory: f.all.memory, l: f.all.at(j+1, j), lRow: f.all.step(), lColumn: bytesOf[T](),
			x:    f.dots.at(j-first, 0),
			xRow: f.dots.step(),
			c:    f.all.at(j+1, first), cRow: f.all.step(), rows: roundUp[T](f.rows - j - 1), columns: sideOf[T]()}
		s.run(1)
	}
}

// householder makes a vector of n elements, step apart, the reflection that leaves nothing of it behind the first one,
// and what it leaves there. It returns tau, 0 where there is nothing. It computes in float64, in which squares of
// float32 are exact.
func householder[T Number](x []T, step, n int) (tau T) {
	alpha, greatest, sum := float64(x[0]), 0.0, 0.0
	for i := 1; i < n; i++ {
		v := float64(x[i*step])
		greatest, sum = max(greatest, math.Abs(v)), sum+float64(v*v)
	}
	if greatest == 0 {
		return 0
	}
	scale := 1.0
	if least := 1e-280; !(sum > least && sum < 1/least) { // squares are too small or too great
		scale, sum = max(greatest, math.Abs(alpha)), 0
		for i := 1; i < n; i++ {
			v := float64(x[i*step]) / scale
			sum += float64(v * v)
		}
		alpha /= scale
	}
	beta := -math.Copysign(math.Sqrt(float64(alpha*alpha)+sum), alpha)
	for i := 1; i < n; i++ {
		v := float64(x[i*step])
		if scale != 1 {
			v /= scale
		}
		x[i*step] = T(v / (alpha - beta))
	}
	x[0] = T(beta * scale)
	return T((beta - alpha) / beta)
}

// formBlock makes the reflections of columns ready for use.
func (f *qrFactoring[T]) formBlock(first, end int) {
	width := end - first
	for i := range f.rows - first {
		row, from := f.v.row(i), f.all.row(first + i)[first:end]
		k := min(i, width, len(f.tau)-first)
		copy(row, from[:k])
		clear(row[k:])
		if i < width && first+i < len(f.tau) {
			row[i] = 1
		}
	}
	for i := range width {
		clear(f.t.row(i))
	}
	s := system[T]{memory: f.all.memory, l: f.v.first, lRow: bytesOf[T](), lColumn: f.v.step(), x: f.v.first,
		xRow: f.v.step(), c: f.t.first,
		cRow: f.t.step(), rows: width, columns: width}
	s.run(f.rows - first)
	for i := range width {
		row := f.t.row(i)
		for j := range i {
			row[j] = -row[j]
		}
		if row[i] = 1; first+i < len(f.tau) {
			row[i] = 1 / f.tau[first+i]
		}
	}
}

// applyBlock multiplies the columns of y from one up to an end with the product of the reflections of columns from
// first on, which [qrFactoring.formBlock] made ready, or with its transpose.
func (f *qrFactoring[T]) applyBlock(y *matrix[T], first, from, end int, isTransposed bool) {
	width := min(blockColumns, roundUp[T](len(f.tau)-first))
	if y == &f.all {
		width = min(width, from-first)
	}
	count := end - from
	for i := range width {
		clear(f.w.row(i)[:count])
	}
	rows := f.rows - first
	s := system[T]{memory: f.all.memory, l: f.v.first, lRow: bytesOf[T](), lColumn: f.v.step(), x: y.at(first, from),
		xRow: y.step(),
		c:    f.w.first, cRow: f.w.step(), rows: width, columns: count}
	s.run(rows)
	s = system[T]{memory: f.all.memory, mode: solved, l: f.t.first, lRow: f.t.step(), lColumn: bytesOf[T](),
		c: f.w.first, cRow: f.w.step(),
		rows: width, columns: count}
	if !isTransposed {
		s.lRow, s.lColumn = s.lColumn, s.lRow
		s.backwards()
	}
	s.run(0)
	for i := range width {
		row := f.w.row(i)[:count]
		for k, v := range row {
			row[k] = -v
		}
	}
	s = system[T]{memory: f.all.memory, l: f.v.first, lRow: f.v.step(), lColumn: bytesOf[T](), x: f.w.first,
		xRow: f.w.step(),
		c:    y.at(first, from), cRow: y.step(), rows: rows, columns: count}
	s.run(width)
}
