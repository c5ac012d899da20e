package fourier

import (
	"math/bits"
	"unsafe"
)

// convolution is a transform of any length n as a cyclic convolution: j·k = (j² + k² - (k-j)²)/2.
type convolution[T float] struct {
	length int
	chirp  []T // exp(-πi·j²/n), pairs
	kernel []T // the transform of its conjugate, before and after 0, divided by the length of the convolution
	plan   *plan[T]
}

// newConvolution prepares transforms of n numbers.
func newConvolution[T float](poller Poller, n int) *convolution[T] {
	least := 2*n - 1
	power := 1 << bits.Len(uint(least-1))
	length := power
	for _, l := range []int{power / 8 * 5, power / 4 * 3} {
		if l >= least {
			length = l
			break
		}
	}
	c := &convolution[T]{length: length, plan: planOf[T](poller, length, false)}
	k := make([]float64, 2*length)
	for j := range n {
		poll(poller, rootCost)
		re, im := root(j*j%(2*n), 2*n)
		c.chirp = append(c.chirp, T(re), T(im))
		for _, at := range []int{j, (length - j) % length} {
			k[2*at], k[2*at+1] = re/float64(length), -im/float64(length)
		}
	}
	kernel := make([]float64, 2*length)
	planOf[float64](poller, length, false).all(poller, kernel, k, 1, 1, false)
	for _, v := range kernel {
		c.kernel = append(c.kernel, T(v))
	}
	return c
}

// Short convolutions, of up to longAlone numbers, are computed side by side, this many at once.
const (
	longAlone          = 512
	convolutionsAtOnce = 16
)

// together is how many convolutions are computed at once.
func (c *convolution[T]) together() int {
	if c.length > longAlone {
		return 1
	}
	return convolutionsAtOnce
}

// run transforms the first n pairs of each row of wide in place. A row is as long as the convolution. After the rows
// there is room for as many.
func (c *convolution[T]) run(poller Poller, wide []T, rows int) {
	row := 2 * c.length
	x, y := wide[:rows*row], wide[rows*row:2*rows*row]
	for at := 0; at < len(x); at += row {
		times(poller, x[at:], c.chirp)
		clear(x[at+len(c.chirp) : at+row])
	}
	c.plan.all(poller, y, x, rows, 1, false)
	for at := 0; at < len(y); at += row {
		times(poller, y[at:], c.kernel)
	}
	c.plan.all(poller, x, y, rows, 1, true)
	for at := 0; at < len(x); at += row {
		times(poller, x[at:], c.chirp)
	}
}

// times multiplies pairs by others.
func times[T float](poller Poller, x, by []T) {
	const some = 1 << 14
	for x = x[:len(by)]; len(by) > 0; x, by = x[min(some, len(x)):], by[min(some, len(by)):] {
		poll(poller, min(some, len(by)))
		x, by := x[:min(some, len(x))], by[:min(some, len(by))]
		for i := 1; i < len(by); i += 2 {
			x[i-1], x[i] = product(x[i-1], x[i], by[i-1], by[i])
		}
	}
}

// product is the product of two complex numbers. Each step is rounded: the compiler must not fuse them.
func product[T float](aRe, aIm, bRe, bIm T) (re, im T) {
	return T(aRe*bRe) - T(aIm*bIm), T(aRe*bIm) + T(aIm*bRe)
}

// convolved computes all transforms.
func (p *plan[T]) convolved(w *worker[T], y, x numbers[T], transforms int, plus bool) {
	c := p.cyclic
	together := min(c.together(), transforms)
	if len(w.wide) < 4*c.length*together {
		w.wide = make([]T, 4*c.length*together)
	}
	for first := 0; first < transforms; first += together {
		rows := min(together, transforms-first)
		for k := range rows {
			p.take(w.wide[2*c.length*k:], x, x.row(first+k), plus)
		}
		c.run(w.poller, w.wide, rows)
		for k := range rows {
			give(w.wide[2*c.length*k:], y, y.row(first+k), plus)
		}
	}
}

// take copies the operand of a transform.
func (p *plan[T]) take(z []T, x numbers[T], in unsafe.Pointer, plus bool) {
	back, step, beside := p.real && x.width == 2, x.step(), x.step()/x.inner/2
	for j := range min(x.places, p.length) {
		z[2*j], z[2*j+1] = *lane[T](in, j*step), 0
		if x.width == 2 {
			z[2*j+1] = *lane[T](in, j*step+beside)
		}
		if k := p.length - j; back && j > 0 && k >= j {
			z[2*k], z[2*k+1] = z[2*j], z[2*j+1] // the conjugate of the conjugate
		}
		switch {
		case back && (j == 0 || 2*j == p.length):
			z[2*j+1] = 0
		case back || plus:
			z[2*j+1] = -z[2*j+1]
		}
	}
}

// give copies results.
func give[T float](z []T, y numbers[T], out unsafe.Pointer, plus bool) {
	step, beside := y.step(), y.step()/y.inner/2
	for j := range y.places {
		*lane[T](out, j*step) = z[2*j]
		if y.width == 2 {
			im := z[2*j+1]
			if plus {
				im = -im
			}
			*lane[T](out, j*step+beside) = im
		}
	}
}
