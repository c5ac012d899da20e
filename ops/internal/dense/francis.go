package dense

import (
	"math"

	"github.com/broadloom/broadloom/kernels/gemm"
)

// Sizes measured on matrices of 128 to 701 rows. A bulge is the three rows that a pair of shifts occupies as it moves
// down the diagonal.
const (
	crossoverMultishift = 75 // up to so many rows, eigenvalues come by one bulge at a time
	maxBulges           = 16 // that are chased together
	// times how many bulges there are, rows that they go until what they turned is applied to the rest
	stridePerBulge = 3
	maxWindow      = 3*(maxBulges-1) + stridePerBulge*maxBulges + 6
	maxStalled     = 30 // steps that find no eigenvalue, before one bulge at a time is tried
	// rows at the end that are tried for eigenvalues: twice the bulges, and more where none is found
	maxDeflationWindow = 4 * maxBulges
)

// francis makes a matrix of n rows with one diagonal below it a quasi-triangle, or finds its eigenvalues alone, by QR
// steps with many shifts and aggressive early deflation: Braman, Byers and Mathias, The multishift QR algorithm, 2002.
type francis struct {
	memory   Memory
	n        int
	h, z     []float64 // z is multiplied with what h is turned by, if it is not nil
	isWhole  bool      // all of h is wanted, not its eigenvalues alone
	re, im   []float64
	window   []float64 // what the bulges go through, maxWindow rows and columns, with zeros behind
	turned   []float64 // the rows of the turned identity
	part     []float64 // of the rest
	shifts   [maxBulges][4]float64
	v, t, wv []float64 // for LAPACK
	work     []float64
}

// realSchur makes h, of n rows, a quasi-triangle, and writes its eigenvalues.
func realSchur(memory Memory, h, z, re, im []float64, n int, isWhole bool) error {
	f := francis{memory: memory, n: n, h: h, z: z, re: re, im: im, isWhole: isWhole}
	if n > crossoverMultishift {
		f.window, f.turned, f.part = memory.Floats(maxWindow*maxWindow), memory.Floats(maxWindow*maxWindow),
			memory.Floats(maxWindow*n)
		f.v, f.t, f.wv, f.work = memory.Floats(maxDeflationWindow*maxDeflationWindow),
			memory.Floats(maxDeflationWindow*n), memory.Floats(maxDeflationWindow*n),
			memory.Floats(64*maxDeflationWindow)
	}
	return f.run()
}

func (f *francis) run() error {
	n, width := f.n, 1
	if f.z != nil {
		width = n
	}
	stalled, last := 0, n-1
	for last >= 0 {
		f.memory.Poll(n * maxDeflationWindow)
		start := f.activeStart(last)
		size := last - start + 1
		if size <= crossoverMultishift || stalled > maxStalled {
			if lapack.Dlahqr(f.isWhole, f.z != nil, n, start, last, f.h, n, f.re[:last+1], f.im[:last+1], 0, n-1, f.z,
				width) != 0 {
				return errNotConverged
			}
			last, stalled = start-1, 0
			continue
		}
		pairs := min(4+size/64, maxBulges)
		tried := min(size, 2*pairs+2*pairs*min(stalled, 5)/5)
		undone, done := lapack.Dlaqr23(f.isWhole, f.z != nil, n, start, last, tried, f.h, n, 0, n-1, f.z, width,
			f.re[:last+1], f.im[:last+1],
			f.v, tried, n, f.t, n, n, f.wv, tried, f.work, len(f.work), 0)
		last -= done
		if stalled++; done > 0 {
			stalled = 0
		}
		if size -= done; size <= crossoverMultishift || done*100 > tried*14 {
			continue
		}
		f.sweep(start, last, f.chooseShifts(pairs, last, undone, stalled))
	}
	return nil
}

// activeStart is the first row of the part that ends with a last one. It begins where the element below the diagonal is
// 0 but for rounding.
func (f *francis) activeStart(last int) int {
	for k := last; k > 0; k-- {
		below := &f.h[k*f.n+k-1]
		if math.Abs(*below) <= epsilon*(math.Abs(f.h[k*f.n+k])+math.Abs(f.h[(k-1)*f.n+k-1])) {
			*below = 0
			return k
		}
	}
	return 0
}

// chooseShifts makes pairs of shifts, up to most, of the count eigenvalues of the last rows, and returns how many: two
// that are conjugates, or any two that are real. Where these led to nothing for some steps, others are taken.
func (f *francis) chooseShifts(most, last, count, stalled int) (pairs int) {
	if stalled%6 == 5 {
		for i := range most {
			k := last - 2*i
			v := math.Abs(f.h[k*f.n+k-1]) + math.Abs(f.h[(k-1)*f.n+k-2])
			near := float64(0.75*v) + f.h[k*f.n+k]
			f.shifts[i] = [4]float64{near, v, near, -v}
		}
		return most
	}
	alone := -1
	for i := last; i > last-count && pairs < most; i-- {
		with := alone
		switch {
		case f.im[i] != 0:
			with = i - 1
		case alone < 0:
			alone = i
			continue
		default:
			alone = -1
		}
		if with < 0 {
			break
		}
		f.shifts[pairs] = [4]float64{f.re[with], f.im[with], f.re[i], f.im[i]}
		pairs++
		if f.im[i] != 0 {
			i--
		}
	}
	if pairs == 0 && alone >= 0 {
		f.shifts[0] = [4]float64{f.re[alone], 0, f.re[alone], 0}
		pairs = 1
	}
	return pairs
}

// sweep has pairs of shifts go from a first row to a last one, three rows apart.
func (f *francis) sweep(first, last, pairs int) {
	behind, stride := 3*(pairs-1), stridePerBulge*pairs
	for from, end := 0, last-first+behind; from < end; from += stride {
		to := min(from+stride, end)
		low, high := max(first, first-1+from-behind), min(last, first+to+2)
		size := high - low + 1
		f.memory.Poll((to - from) * pairs * size)
		f.loadWindow(low, size)
		for step := from; step < to; step++ {
			for pair := range pairs {
				if column := first - 1 + step - 3*pair; column >= first-1 && column <= last-2 {
					f.chase(column-low, size, pair, column < first)
				}
			}
		}
		f.applyWindow(first, last, low, size)
	}
}

// loadWindow copies a block of h, and a row and a column of zeros.
func (f *francis) loadWindow(low, size int) {
	for i := range size + 1 {
		row, turned := f.window[i*maxWindow:][:size+1], f.turned[i*maxWindow:][:size+1]
		clear(row)
		clear(turned)
		if turned[i] = 1; i < size {
			copy(row, f.h[(low+i)*f.n+low:][:size])
		}
	}
}

// chase has a bulge go from a column to the next one: a reflection of three rows and columns leaves nothing of the
// first one below the diagonal beside it. Two shifts that are new begin with the first column of the product of h less
// these.
func (f *francis) chase(column, rows, pair int, isNew bool) {
	const width = maxWindow
	k := column + 1
	at := func(i, j int) *float64 { return &f.window[i*width+j] }
	var x, y, z float64
	if isNew {
		s := &f.shifts[pair]
		corner, below := *at(0, 0), *at(1, 0)
		size := math.Abs(corner-s[2]) + math.Abs(s[3]) + math.Abs(below) // products may be too small
		if size == 0 {
			return
		}
		x = float64((corner-s[0])*((corner-s[2])/size)) - float64(s[1]*(s[3]/size)) + float64(*at(0, 1)*(below/size))
		y, z = below/size*(corner+*at(1, 1)-s[0]-s[2]), below/size**at(2, 1)
	} else {
		x, y, z = *at(k, column), *at(k+1, column), *at(k+2, column)
	}
	if y == 0 && z == 0 {
		return
	}
	greatest := max(math.Abs(x), math.Abs(y), math.Abs(z)) // squares may be too small
	x, y, z = x/greatest, y/greatest, z/greatest
	beta := -math.Copysign(math.Sqrt(float64(x*x)+float64(y*y)+float64(z*z)), x)
	r := reflection3{(beta - x) / beta, y / (x - beta), z / (x - beta)}
	if !isNew {
		*at(k, column), *at(k+1, column), *at(k+2, column) = beta*greatest, 0, 0
	}
	r.rows(f.window[k*width:], k, rows)
	for i := range min(k+4, rows) {
		row := f.window[i*width+k:][:3]
		sum := r.tau * (row[0] + float64(r.second*row[1]) + float64(r.third*row[2]))
		row[0] -= sum
		row[1] -= float64(sum * r.second)
		row[2] -= float64(sum * r.third)
	}
	r.rows(f.turned[k*width:], 0, min(k+3+2*pair, rows)) // each pair before filled two more columns
}

// reflection3 is 1 - tau·v·vᵀ where v has three elements, the first of which is 1.
type reflection3 struct{ tau, second, third float64 }

// rows reflects three rows of a window, from a column up to an end.
func (r reflection3) rows(a []float64, from, end int) {
	x, y, z := a[from:end], a[maxWindow+from:][:end-from], a[2*maxWindow+from:][:end-from]
	for i, v := range x {
		sum := r.tau * (v + float64(r.second*y[i]) + float64(r.third*z[i]))
		x[i] = v - sum
		y[i] -= float64(sum * r.second)
		z[i] -= float64(sum * r.third)
	}
}

// applyWindow copies a block back, and turns what is beside and above it.
func (f *francis) applyWindow(first, last, low, size int) {
	n, end := f.n, last+1
	for i := range size {
		copy(f.h[(low+i)*n+low:], f.window[i*maxWindow:][:size])
	}
	if f.isWhole {
		first, end = 0, n
	}
	turned := gemm.Matrix[float64]{Data: f.turned, Row: maxWindow, Col: 1}
	if behind := low + size; behind < end {
		of := gemm.Matrix[float64]{Data: f.h, Start: low*n + behind, Row: n, Col: 1}
		f.replace(gemm.Product[float64]{M: size, N: end - behind, K: size, A: turned, B: of}, of)
	}
	turned.Row, turned.Col = turned.Col, turned.Row
	if first < low {
		of := gemm.Matrix[float64]{Data: f.h, Start: first*n + low, Row: n, Col: 1}
		f.replace(gemm.Product[float64]{M: low - first, N: size, K: size, A: of, B: turned}, of)
	}
	if f.z != nil {
		of := gemm.Matrix[float64]{Data: f.z, Start: low, Row: n, Col: 1}
		f.replace(gemm.Product[float64]{M: n, N: size, K: size, A: of, B: turned}, of)
	}
}

// replace writes a product of a matrix over it.
func (f *francis) replace(p gemm.Product[float64], of gemm.Matrix[float64]) {
	p.C = rowByRow(f.part, p.N)
	run(f.memory, p)
	for i := range p.M {
		copy(of.Data[of.Start+i*of.Row:], f.part[i*p.N:(i+1)*p.N])
	}
}
