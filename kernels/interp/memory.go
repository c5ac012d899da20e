package interp

import (
	"bytes"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/internal/loops"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// bySize picks the instance of a step that copies elements of type t without interpreting them.
func bySize(t rowprog.Type, of1, of2, of4, of8 step) step {
	switch t.Size() {
	case 1:
		return of1
	case 2:
		return of2
	case 4:
		return of4
	}
	return of8
}

// loadStep makes reg the current block of an operand: the operand's memory itself if it is contiguous and need not be
// copied, else a copy in the register's own block.
func loadStep(t rowprog.Type, reg, base, operand int, copied bool) step {
	return bySize(t, load1[uint8](reg, base, operand, copied), load1[uint16](reg, base, operand, copied),
		load1[uint32](reg, base, operand, copied), load1[uint64](reg, base, operand, copied))
}

func load1[T loops.Bits](reg, base, operand int, copied bool) step {
	size := int(unsafe.Sizeof(T(0)))
	return func(s *Scratch, n int) {
		loadFrom[T](s, reg, base, operand, s.element(operand, s.at, size), copied, n)
	}
}

// loadFrom makes reg the block of an operand that begins at an address.
func loadFrom[T loops.Bits](s *Scratch, reg, base, operand int, src unsafe.Pointer, copied bool, n int) {
	stride := s.inner(operand)
	if stride == 1 && !copied {
		s.reg[reg] = src
		return
	}
	s.reg[reg] = unsafe.Pointer(&s.blocks[base])
	loops.Gather(vec[T](s, reg, n), src, stride)
}

// pickRowStep makes reg the current block of the row that an index names.
func pickRowStep(in *rowprog.Inst, reg, base int) step {
	if in.Type.Size() == 4 {
		return pickRow1[uint32](in, reg, base)
	}
	return pickRow1[uint64](in, reg, base)
}

func pickRow1[T loops.Bits](in *rowprog.Inst, reg, base int) step {
	size := int(unsafe.Sizeof(T(0)))
	return func(s *Scratch, n int) {
		src := unsafe.Add(s.element(in.Operand, s.at, size), s.picked(in)*size)
		loadFrom[T](s, reg, base, in.Operand, src, false, n)
	}
}

// pickStep fills a register with the elements of an operand at the indices in another register.
func pickStep(in *rowprog.Inst, by rowprog.Type, reg, index int) step {
	switch {
	case in.Type.Size() == 4 && by == rowprog.I32:
		return pick1[uint32, int32](in.Operand, in.Args[1], reg, index)
	case in.Type.Size() == 4:
		return pick1[uint32, int64](in.Operand, in.Args[1], reg, index)
	case by == rowprog.I32:
		return pick1[uint64, int32](in.Operand, in.Args[1], reg, index)
	}
	return pick1[uint64, int64](in.Operand, in.Args[1], reg, index)
}

func pick1[T loops.Bits, I int32 | int64](operand int, limit rowprog.Value, reg, index int) step {
	size := int(unsafe.Sizeof(T(0)))
	return func(s *Scratch, n int) {
		loops.Pick(vec[T](s, reg, n), s.element(operand, 0, size), vec[I](s, index, n), I(s.value[limit]))
	}
}

// targetStep makes reg the current block of an operand that is about to be written, if it is contiguous, else the
// register's own block.
func targetStep(t rowprog.Type, reg, base, operand int) step {
	size := t.Size()
	return func(s *Scratch, n int) {
		if s.inner(operand) == 1 {
			s.reg[reg] = s.element(operand, s.at, size)
		} else {
			s.reg[reg] = unsafe.Pointer(&s.blocks[base])
		}
	}
}

// storeStep writes a register to an operand. direct says that a contiguous operand has been written already, through
// targetStep.
func storeStep(t rowprog.Type, operand, reg int, direct bool) step {
	return bySize(t, store1[uint8](operand, reg, direct), store1[uint16](operand, reg, direct),
		store1[uint32](operand, reg, direct), store1[uint64](operand, reg, direct))
}

func store1[T loops.Bits](operand, reg int, direct bool) step {
	return func(s *Scratch, n int) {
		if !direct || s.inner(operand) != 1 {
			put[T](s, operand, vec[T](s, reg, n))
		}
	}
}

// put writes elements to the current block of an operand.
func put[T loops.Bits](s *Scratch, operand int, src []T) {
	dst, stride := s.element(operand, s.at, int(unsafe.Sizeof(T(0)))), s.inner(operand)
	if stride == 1 {
		copy(unsafe.Slice((*T)(dst), len(src)), src)
		return
	}
	loops.Scatter(dst, stride, src)
}

// storeScalarStep writes one value to all elements of an operand's block.
func storeScalarStep(t rowprog.Type, operand int, x rowprog.Value) step {
	return bySize(t, storeScalar1[uint8](operand, x), storeScalar1[uint16](operand, x),
		storeScalar1[uint32](operand, x), storeScalar1[uint64](operand, x))
}

func storeScalar1[T loops.Bits](operand int, x rowprog.Value) step {
	return func(s *Scratch, n int) {
		v := T(s.value[x])
		dst, stride := s.element(operand, s.at, int(unsafe.Sizeof(v))), s.inner(operand)
		if stride == 1 {
			loops.Fill(unsafe.Slice((*T)(dst), n), v)
			return
		}
		loops.FillStrided(dst, stride, n, v)
	}
}

// fillStep fills a register with a value.
func fillStep(t rowprog.Type, reg int, x rowprog.Value) step {
	return bySize(t, fill1[uint8](reg, x), fill1[uint16](reg, x),
		fill1[uint32](reg, x), fill1[uint64](reg, x))
}

func fill1[T loops.Bits](reg int, x rowprog.Value) step {
	return func(s *Scratch, n int) { loops.Fill(vec[T](s, reg, n), T(s.value[x])) }
}

// iotaStep fills a register with the indices within the row.
func iotaStep(reg int) step {
	return func(s *Scratch, n int) {
		loops.Count(vec[int64](s, reg, n), int64(s.args.First(len(s.args.Outer))+s.at))
	}
}

// accumulateStep combines a register into an operand. An operand that is not contiguous is copied to the register room
// and back.
func accumulateStep(o *rowprog.Operand, in *rowprog.Inst, reg, room int) step {
	return bySize(o.Type, accumulate1[uint8](o, in, reg, room), accumulate1[uint16](o, in, reg, room),
		accumulate1[uint32](o, in, reg, room), accumulate1[uint64](o, in, reg, room))
}

func accumulate1[T loops.Bits](o *rowprog.Operand, in *rowprog.Inst, reg, room int) step {
	operand, kind, t, reduced := in.Operand, in.Reduction, o.Type, o.Reduced
	return func(s *Scratch, n int) {
		if s.first(reduced) {
			put(s, operand, vec[T](s, reg, n))
			return
		}
		dst, stride := s.element(operand, s.at, t.Size()), s.inner(operand)
		if stride == 1 {
			loops.Accumulate(kind, t, dst, s.reg[reg], n)
			return
		}
		loops.Gather(vec[T](s, room, n), dst, stride)
		loops.Accumulate(kind, t, s.reg[room], s.reg[reg], n)
		put(s, operand, vec[T](s, room, n))
	}
}

// guardStep looks for a false element and reports the culprit's element there.
func guardStep(reg int, code rowprog.FaultCode, culprit func(s *Scratch, i int) uint64) step {
	return func(s *Scratch, n int) {
		if i := bytes.IndexByte(vec[uint8](s, reg, n), 0); i >= 0 {
			s.fail(code, s.at+i, culprit(s, i))
		}
	}
}
