// Package butterfly has the arithmetic of Fourier transforms as lists of instructions on vectors. They are both
// compiled to machine code and interpreted in plain Go, so both give the same bits.
//
// program.go is the list, butterfly.go writes lists for transforms of few points, and mirror.go those between
// transforms of real numbers and of half as many complex ones.
package butterfly

// Op is what an instruction computes.
type Op uint8

// The instructions. Each product with a sum is rounded once.
const (
	Input   Op = iota // the part Part of the operand Index
	Twiddle           // the part Part of the factor Index
	Const             // Value
	Add               // a + b
	Sub               // a - b
	Mul               // a·b
	FMA               // a·b + c
	FNMA              // c - a·b
	FMS               // a·b - c
	Output            // a, stored as the part Part of the result Index
)

// Operands is the number of operands of an instruction.
func (o Op) Operands() int {
	switch o {
	case Input, Twiddle, Const:
		return 0
	case Output:
		return 1
	case FMA, FNMA, FMS:
		return 3
	}
	return 2
}

// Value is the result of an instruction: its place in the list.
type Value int

// Instr is an instruction.
type Instr struct {
	Op          Op
	Args        [3]Value
	Index, Part int // Part is 0 for the real part, 1 for the imaginary one
	Value       float64
}

// Program is a list of instructions. Each comes before those that take its result.
type Program []Instr

// Complex is the two parts of a complex number.
type Complex struct{ Re, Im Value }

// builder writes a program. It loads each operand once.
type builder struct {
	list Program
	have map[Instr]Value
}

func (b *builder) add(i Instr) Value {
	if v, known := b.have[i]; known {
		return v
	}
	if b.have == nil {
		b.have = map[Instr]Value{}
	}
	v := Value(len(b.list))
	b.list, b.have[i] = append(b.list, i), v
	return v
}

func (b *builder) op(op Op, args ...Value) Value {
	i := Instr{Op: op}
	copy(i.Args[:], args)
	return b.add(i)
}

func (b *builder) number(v float64) Value { return b.add(Instr{Op: Const, Value: v}) }

func (b *builder) parts(op Op, index int) Complex {
	return Complex{b.add(Instr{Op: op, Index: index}), b.add(Instr{Op: op, Index: index, Part: 1})}
}

func (b *builder) input(k int) Complex { return b.parts(Input, k) }

func (b *builder) output(k int, z Complex) {
	for part, v := range []Value{z.Re, z.Im} {
		b.add(Instr{Op: Output, Args: [3]Value{v}, Index: k, Part: part})
	}
}

func (b *builder) plus(x, y Complex) Complex {
	return Complex{b.op(Add, x.Re, y.Re), b.op(Add, x.Im, y.Im)}
}

func (b *builder) minus(x, y Complex) Complex {
	return Complex{b.op(Sub, x.Re, y.Re), b.op(Sub, x.Im, y.Im)}
}

// minusI is x - i·y.
func (b *builder) minusI(x, y Complex) Complex {
	return Complex{b.op(Add, x.Re, y.Im), b.op(Sub, x.Im, y.Re)}
}

// plusI is x + i·y.
func (b *builder) plusI(x, y Complex) Complex {
	return Complex{b.op(Sub, x.Re, y.Im), b.op(Add, x.Im, y.Re)}
}

// times is x·w.
func (b *builder) times(x, w Complex) Complex {
	return Complex{
		b.op(FMS, x.Re, w.Re, b.op(Mul, x.Im, w.Im)),
		b.op(FMA, x.Re, w.Im, b.op(Mul, x.Im, w.Re)),
	}
}

// timesConjugate is x times the conjugate of w.
func (b *builder) timesConjugate(x, w Complex) Complex {
	return Complex{
		b.op(FMA, x.Re, w.Re, b.op(Mul, x.Im, w.Im)),
		b.op(FMS, x.Im, w.Re, b.op(Mul, x.Re, w.Im)),
	}
}
