package butterfly

// The transform of n real numbers is that of n/2 complex ones, z[j] = x[2j] + i·x[2j+1], and a step for each pair of
// places k and n/2-k.

// OfReal is the step after the complex transform. From z[k] and z[n/2-k], it computes the first half of the real one:
// y[k] = e + t and y[n/2-k] = conj(e - t), where e = (z[k] + conj(z[n/2-k]))/2 and t = -i·w·(z[k] - conj(z[n/2-k])).
// The factor w is half of exp(-2πi·k/n).
func OfReal() Program {
	b := &builder{}
	z, other, half := b.input(0), b.input(1), b.number(0.5)
	sum, less := b.fromMirror(z, other)
	w := b.parts(Twiddle, 0)
	e := Complex{b.op(Mul, half, sum.Re), b.op(Mul, half, sum.Im)}
	t := b.times(less, w)
	b.output(0, b.minusI(e, t))
	y := b.plusI(e, t)
	b.output(1, Complex{y.Re, b.op(Sub, b.number(0), y.Im)})
	return b.list
}

// ToReal is the step before the inverse transform. From y[k] and y[n/2-k], it computes 2·z[k] = e + i·o and 2·z[n/2-k]
// = conj(e - i·o), where e = y[k] + conj(y[n/2-k]) and o = 2·conj(w)·(y[k] - conj(y[n/2-k])). The real and imaginary
// parts of the results are exchanged, since the inverse transform takes them so.
func ToReal() Program {
	b := &builder{}
	y, other := b.input(0), b.input(1)
	e, less := b.fromMirror(y, other)
	two := b.number(2)
	o := b.timesConjugate(Complex{b.op(Mul, two, less.Re), b.op(Mul, two, less.Im)}, b.parts(Twiddle, 0))
	z := b.plusI(e, o)
	b.output(0, Complex{z.Im, z.Re})
	z = b.minusI(e, o)
	b.output(1, Complex{b.op(Sub, b.number(0), z.Im), z.Re})
	return b.list
}

// fromMirror is the sum of x and the conjugate of y, and their difference.
func (b *builder) fromMirror(x, y Complex) (sum, less Complex) {
	return Complex{b.op(Add, x.Re, y.Re), b.op(Sub, x.Im, y.Im)}, Complex{b.op(Sub, x.Re, y.Re), b.op(Add, x.Im, y.Im)}
}
