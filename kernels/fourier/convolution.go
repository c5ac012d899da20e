package fourier

import (
	"math/bits"
)

// convolution is a transform of any length n as a cyclic convolution: j·k = (j² + k² - (k-j)²)/2.
type convolution struct {
	length int
	chirp  []float64 // exp(-πi·j²/n), pairs
	kernel []float64 // the transform of its conjugate, before and after 0, divided by the length of the convolution
	plan   *plan[float64]
}

// newConvolution prepares transforms of n numbers.
func newConvolution(n int) *convolution {
	least := 2*n - 1
	power := 1 << bits.Len(uint(least-1))
	length := power
	for _, l := range []int{power / 8 * 5, power / 4 * 3} {
		if l >= least {
			length = l
			break
		}
	}
	c := &convolution{length: length, plan: planOf[float64](length, false)}
	k := make([]float64, 2*length)
	for j := range n {
		re, im := root(j*j%(2*n), 2*n)
		c.chirp = append(c.chirp, re, im)
		for _, at := range []int{j, (length - j) % length} {
			k[2*at], k[2*at+1] = re/float64(length), -im/float64(length)
		}
	}
	c.kernel = make([]float64, 2*length)
	c.plan.all(c.kernel, k, 1, 1, false)
	return c
}

// run transforms what wide begins with, n pairs, in place. There is room for twice as many pairs as the convolution has.
func (c *convolution) run(wide []float64) {
	x, y := wide[:2*c.length], wide[2*c.length:4*c.length]
	for i := 0; i < len(c.chirp); i += 2 {
		x[i], x[i+1] = product(x[i], x[i+1], c.chirp[i], c.chirp[i+1])
	}
	clear(x[len(c.chirp):])
	c.plan.all(y, x, 1, 1, false)
	for i := 0; i < len(y); i += 2 {
		y[i], y[i+1] = product(y[i], y[i+1], c.kernel[i], c.kernel[i+1])
	}
	c.plan.all(x, y, 1, 1, true)
	for i := 0; i < len(c.chirp); i += 2 {
		x[i], x[i+1] = product(x[i], x[i+1], c.chirp[i], c.chirp[i+1])
	}
}

// product is that of two complex numbers. Each step is rounded, whatever the processor could do at once.
func product(aRe, aIm, bRe, bIm float64) (re, im float64) {
	return float64(aRe*bRe) - float64(aIm*bIm), float64(aRe*bIm) + float64(aIm*bRe)
}

// convolved computes all transforms, one after the other.
func (p *plan[T]) convolved(w *worker[T], y, x numbers[T], transforms int, plus bool) {
	c := p.cyclic
	if len(w.wide) < 4*c.length {
		w.wide = make([]float64, 4*c.length)
	}
	z := w.wide[:2*p.length]
	back := p.real && x.width == 2
	for i := range transforms {
		in, out := x.row(i), y.row(i)
		for j := range min(x.places, p.length) {
			z[2*j], z[2*j+1] = float64(*lane[T](in, j*x.step())), 0
			if x.width == 2 {
				z[2*j+1] = float64(*lane[T](in, j*x.step()+x.step()/x.inner/2))
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
		c.run(w.wide)
		for j := range y.places {
			*lane[T](out, j*y.step()) = T(z[2*j])
			if y.width == 2 {
				im := z[2*j+1]
				if plus {
					im = -im
				}
				*lane[T](out, j*y.step()+y.step()/y.inner/2) = T(im)
			}
		}
	}
}
