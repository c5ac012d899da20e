package butterfly

import "math"

// Radices are the numbers of points for which there are transforms.
var Radices = []int{2, 3, 4, 5, 7, 8, 11, 13}

// Factors says by what the results of a transform are multiplied.
type Factors int

// The factors.
const (
	None Factors = iota
	Rest         // all results but the first: the result k with the factor k-1
	All          // the result k with the factor k
)

// Transform is the transform of a few points: result k is the sum over j of x[j]·exp(-2πi·j·k/radix), times a factor.
func Transform(radix int, factors Factors) Program {
	b := &builder{}
	b.transform(radix, b.input, func(k int, y Complex) {
		switch {
		case factors == All:
			y = b.times(y, b.parts(Twiddle, k))
		case factors == Rest && k > 0:
			y = b.times(y, b.parts(Twiddle, k-1))
		}
		b.output(k, y)
	})
	return b.list
}

// transform passes result k to out(k), one after the other.
func (b *builder) transform(radix int, x func(j int) Complex, out func(k int, y Complex)) {
	switch radix {
	case 2:
		out(0, b.plus(x(0), x(1)))
		out(1, b.minus(x(0), x(1)))
	case 4:
		even, odd := b.plus(x(0), x(2)), b.plus(x(1), x(3))
		evenLess, oddLess := b.minus(x(0), x(2)), b.minus(x(1), x(3))
		out(0, b.plus(even, odd))
		out(2, b.minus(even, odd))
		out(1, b.minusI(evenLess, oddLess))
		out(3, b.plusI(evenLess, oddLess))
	case 8:
		b.eight(x, out)
	default:
		b.odd(radix, x, out)
	}
}

// eight combines the transforms of the even points and the odd ones.
func (b *builder) eight(x func(j int) Complex, out func(k int, y Complex)) {
	var half [2][4]Complex
	for i := range half {
		b.transform(4, func(j int) Complex { return x(2*j + i) }, func(k int, y Complex) { half[i][k] = y })
	}
	even, odd := half[0], half[1]
	out(0, b.plus(even[0], odd[0]))
	out(4, b.minus(even[0], odd[0]))
	out(2, b.minusI(even[2], odd[2]))
	out(6, b.plusI(even[2], odd[2]))
	// exp(-2πi/8)·z is root·(sum - i·less), and exp(-2πi·3/8)·z is -root·(less + i·sum).
	root := b.number(math.Sqrt2 / 2)
	sum, less := b.op(Add, odd[1].Re, odd[1].Im), b.op(Sub, odd[1].Re, odd[1].Im)
	out(1, Complex{b.op(FMA, root, sum, even[1].Re), b.op(FNMA, root, less, even[1].Im)})
	out(5, Complex{b.op(FNMA, root, sum, even[1].Re), b.op(FMA, root, less, even[1].Im)})
	sum, less = b.op(Add, odd[3].Re, odd[3].Im), b.op(Sub, odd[3].Re, odd[3].Im)
	out(3, Complex{b.op(FNMA, root, less, even[3].Re), b.op(FNMA, root, sum, even[3].Im)})
	out(7, Complex{b.op(FMA, root, less, even[3].Re), b.op(FMA, root, sum, even[3].Im)})
}

// odd adds points j and n-j, which have the same cosines, and subtracts them for the sines.
func (b *builder) odd(n int, x func(j int) Complex, out func(k int, y Complex)) {
	var sums, less []Complex
	total := x(0)
	for j := 1; j <= n/2; j++ {
		sums, less = append(sums, b.plus(x(j), x(n-j))), append(less, b.minus(x(j), x(n-j)))
		total = b.plus(total, sums[j-1])
	}
	out(0, total)
	for k := 1; k <= n/2; k++ {
		even, odd := x(0), Complex{}
		for j := 1; j <= n/2; j++ {
			s, c := math.Sincos(2 * math.Pi * float64(j*k%n) / float64(n))
			cos, sin := b.number(c), b.number(s)
			even = Complex{b.op(FMA, cos, sums[j-1].Re, even.Re), b.op(FMA, cos, sums[j-1].Im, even.Im)}
			if d := less[j-1]; j == 1 {
				odd = Complex{b.op(Mul, sin, d.Re), b.op(Mul, sin, d.Im)}
			} else {
				odd = Complex{b.op(FMA, sin, d.Re, odd.Re), b.op(FMA, sin, d.Im, odd.Im)}
			}
		}
		out(k, b.minusI(even, odd))
		out(n-k, b.plusI(even, odd))
	}
}
