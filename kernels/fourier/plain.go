package fourier

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/fourier/internal/butterfly"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// plain32 and plain64 are the loops in Go.
var (
	plain32 = plainLoops[float32](scalar.FMA32)
	plain64 = plainLoops[float64](scalar.FMA64)
)

func plainLoops[T float](fma func(x, y, z T) T) (l loops) {
	for _, radix := range butterfly.Radices {
		for factors := range butterfly.Factors(factorKinds) {
			kind := stepKind{factors: factors, lanes: factors == butterfly.All}
			l.transforms[radix][factors] = plainStep(butterfly.Transform(radix, factors), kind, radix, fma)
		}
	}
	for lanes := range l.ofReal {
		kind := stepKind{butterfly.All, lanes == 1, true}
		l.ofReal[lanes] = plainStep(butterfly.OfReal(), kind, 2, fma)
		l.toReal[lanes] = plainStep(butterfly.ToReal(), kind, 2, fma)
	}
	l.transpose = transposePlain[T]
	l.part, l.partBack = partPlain[T](false), partPlain[T](true)
	l.join, l.joinBack = joinPlain[T](false), joinPlain[T](true)
	return l
}

// lane is a number of type T that is some bytes from another.
func lane[T float](from unsafe.Pointer, bytes int) *T { return (*T)(unsafe.Add(from, bytes)) }

// plainStep interprets a program, each instruction lane by lane.
func plainStep[T float](p butterfly.Program, k stepKind, radix int, fma func(x, y, z T) T) func(*stepArgs) {
	s := stepInterpreter[T]{kind: k, program: p, radix: radix, lanes: lanesOf[T](), fma: fma}
	return func(a *stepArgs) {
		outer := 1
		if k.factors == butterfly.Rest {
			outer = a.outer
		}
		values := make([]T, len(p)*s.lanes)
		for o := range outer {
			for i := range a.inner {
				s.run(a, values, o, i)
			}
		}
	}
}

// stepInterpreter interprets the program of a step.
type stepInterpreter[T float] struct {
	kind    stepKind
	program butterfly.Program
	radix   int
	lanes   int
	fma     func(x, y, z T) T
}

// run interprets the program for one vector of each operand; values has room for the results of its instructions.
func (s *stepInterpreter[T]) run(a *stepArgs, values []T, outer, inner int) {
	ahead := (outer*a.inner + inner) * elementBytes
	behind := ahead + outer*a.ySkip
	for at, instr := range s.program {
		v := values[at*s.lanes:][:s.lanes]
		part := instr.Part * partBytes
		switch instr.Op {
		case butterfly.Input:
			from := s.kind.place(a.x, a.xMirror, ahead, ahead, instr.Index, a.xStep)
			copy(v, unsafe.Slice(lane[T](from, part), s.lanes))
		case butterfly.Output:
			to := s.kind.place(a.y, a.yMirror, behind, ahead, instr.Index, a.yStep)
			copy(unsafe.Slice(lane[T](to, part), s.lanes), values[int(instr.Args[0])*s.lanes:])
		case butterfly.Twiddle:
			s.twiddle(v, a, instr, ahead, outer, inner)
		case butterfly.Const:
			fill(v, T(instr.Value))
		default:
			arithmetic(v, instr, values, s.fma)
		}
	}
}

// twiddle loads a factor: one for each lane, or the same for all.
func (s *stepInterpreter[T]) twiddle(v []T, a *stepArgs, instr butterfly.Instr, ahead, outer, inner int) {
	part := instr.Part * partBytes
	switch {
	case s.kind.lanes && s.kind.mirrored:
		copy(v, unsafe.Slice(lane[T](a.factors, ahead+part), s.lanes))
	case s.kind.lanes:
		copy(v, unsafe.Slice(lane[T](a.factors, ahead+instr.Index*a.yStep+part), s.lanes))
	default:
		first := 2 * (s.radix - 1) * outer
		if s.kind.mirrored {
			first = 2 * inner
		}
		fill(v, *lane[T](a.factors, (first+2*instr.Index+instr.Part)*int(unsafe.Sizeof(T(0)))))
	}
}

// place is the address of an operand or result with a number: on bytes after the first element, or back bytes before
// the mirrored one.
func (k stepKind) place(first, mirror unsafe.Pointer, on, back, number, step int) unsafe.Pointer {
	switch {
	case !k.mirrored:
		return unsafe.Add(first, on+number*step)
	case number == 1:
		return unsafe.Add(mirror, -back)
	}
	return unsafe.Add(first, on)
}

func fill[T float](v []T, x T) {
	for i := range v {
		v[i] = x
	}
}

func arithmetic[T float](v []T, i butterfly.Instr, values []T, fma func(x, y, z T) T) {
	x, y, z := values[int(i.Args[0])*len(v):][:len(v)], values[int(i.Args[1])*len(v):][:len(v)],
		values[int(i.Args[2])*len(v):][:len(v)]
	switch i.Op {
	case butterfly.Add:
		for l := range v {
			v[l] = x[l] + y[l]
		}
	case butterfly.Sub:
		for l := range v {
			v[l] = x[l] - y[l]
		}
	case butterfly.Mul:
		for l := range v {
			v[l] = x[l] * y[l]
		}
	case butterfly.FMA:
		for l := range v {
			v[l] = fma(x[l], y[l], z[l])
		}
	case butterfly.FNMA:
		for l := range v {
			v[l] = fma(-x[l], y[l], z[l])
		}
	case butterfly.FMS:
		for l := range v {
			v[l] = fma(x[l], y[l], -z[l])
		}
	}
}

func transposePlain[T float](a *moveArgs) {
	size := int(unsafe.Sizeof(T(0)))
	for row := range a.groups * vectorBytes / size {
		from := []unsafe.Pointer{a.from, a.fromOther}[row%2]
		for column := range a.rows * pieceBytes / size {
			to := []unsafe.Pointer{a.to, a.toOther}[column%2]
			*lane[T](to, column/2*a.toStep+row*size) = *lane[T](from, row/2*a.fromStep+column*size)
		}
	}
}

func partPlain[T float](back bool) func(*moveArgs) {
	return func(a *moveArgs) {
		eachNumber[T](a, back, func(row, number, lanes, size int) {
			from := row*a.fromStep + 2*number*size
			to := row*a.toStep + lanes*size
			*lane[T](a.to, to), *lane[T](a.toOther, to) = *lane[T](a.from, from), *lane[T](a.from, from+size)
		})
	}
}

func joinPlain[T float](back bool) func(*moveArgs) {
	return func(a *moveArgs) {
		eachNumber[T](a, back, func(row, number, lanes, size int) {
			to := row*a.toStep + 2*number*size
			from := row*a.fromStep + lanes*size
			*lane[T](a.to, to), *lane[T](a.to, to+size) = *lane[T](a.from, from), *lane[T](a.fromOther, from)
		})
	}
}

// eachNumber calls a function with each complex number of each row, and its lane.
func eachNumber[T float](a *moveArgs, back bool, f func(row, number, lane, size int)) {
	lanes := lanesOf[T]()
	for row := range a.rows {
		for l := range lanes {
			number := l
			if back {
				number = lanes - 1 - l
			}
			f(row, number, l, int(unsafe.Sizeof(T(0))))
		}
	}
}
