package asm

// choose is d = yes if a mask is set, else no.
func (a *arm64) choose(d, mask, yes, no uint32) {
	switch d {
	case no:
		a.three(neonBit, d, yes, mask)
	case yes:
		a.three(neonBif, d, no, mask)
	default:
		a.move(d, mask)
		a.three(neonBsl, d, yes, no)
	}
}

// maskFor is a register for a mask for [Asm.choose]: d if that is none of the others.
func maskFor(d, t, yes, no uint32) uint32 {
	if d == yes || d == no {
		return t
	}
	return d
}

// extreme is the greatest or least operand; the second one if one is NaN or both are zero.
func extreme(pairs uint32, greatest bool) func(neon) {
	return func(n neon) {
		n.each(func(d, v, s, t uint32) {
			m, greater, less := maskFor(d, t, v, s), s, v
			if greatest {
				greater, less = v, s
			}
			n.three(neonFcmgt|pairs, m, greater, less)
			n.choose(d, m, v, s)
		})
	}
}

// rounded rounds in the mode given by the lowest bits of the immediate.
func rounded(pairs uint32) func(neon) {
	return func(n neon) {
		op := [...]uint32{neonRintn, neonRintm, neonRintp, neonRintz}[n.imm&3]
		n.each(func(d, _, s, _ uint32) { n.two(op|pairs, d, s) })
	}
}

// The predicates of comparisons.
const (
	isEqual     = 0x00
	isUnordered = 0x03
	isNotEqual  = 0x04
	isNotLess   = 0x15
	isNotLeast  = 0x16
	isOrdered   = 0x07
	isLess      = 0x11
	isAtMost    = 0x12
	isAtLeast   = 0x1d
	isGreater   = 0x1e
)

// compared is a mask of a comparison.
func compared(pairs uint32) func(neon) {
	return func(n neon) {
		n.each(func(d, v, s, t uint32) {
			switch n.imm {
			case isEqual, isNotEqual:
				n.three(neonFcmeq|pairs, d, v, s)
			case isLess, isNotLess:
				n.three(neonFcmgt|pairs, d, s, v)
			case isAtMost, isNotLeast:
				n.three(neonFcmge|pairs, d, s, v)
			case isGreater:
				n.three(neonFcmgt|pairs, d, v, s)
			case isAtLeast:
				n.three(neonFcmge|pairs, d, v, s)
			case isOrdered, isUnordered:
				n.three(neonFcmeq|pairs, t, v, v)
				n.three(neonFcmeq|pairs, d, s, s)
				n.three(neonAnd, d, d, t)
			default:
				panic("arm64: there is no such comparison")
			}
			switch n.imm {
			case isNotEqual, isNotLess, isNotLeast, isUnordered:
				n.two(neonNot, d, d)
			}
		})
	}
}

// blended is s if the sign of a mask is set, else v. The last bit of the immediate says that all bits of a lane equal
// its sign.
func blended(size int) func(neon) {
	op := uint32(neonSshr | (64-31)<<16)
	if size == 8 {
		op = neonSshr | (128-63)<<16
	}
	return func(n neon) {
		mask := halves(Vec(n.imm >> 4))
		h := 0
		n.each(func(d, v, s, t uint32) {
			m := mask[h]
			h++
			if n.imm&1 == 0 {
				whole := maskFor(d, t, v, s)
				n.two(op, whole, m)
				m = whole
			}
			n.choose(d, m, s, v)
		})
	}
}

// fusedForms is a fused multiply-add of a form. Kind 1 subtracts the addend, and kind 2 the product.
func fusedForms(form, kind int, pairs uint32) func(neon) {
	op := [...]uint32{neonFmla, neonFmla, neonFmls}[kind] | pairs
	return func(n neon) {
		n.each(func(d, v, s, t uint32) {
			x, y, z := [3]uint32{d, v, v}[form], [3]uint32{s, d, s}[form], [3]uint32{v, s, d}[form]
			if z == d && kind != 1 {
				n.three(op, d, x, y)
				return
			}
			n.into(d, t, [2]uint32{x, y}, func(r uint32) {
				if kind == 1 {
					n.two(neonFneg|pairs, r, z)
				} else {
					n.move(r, z)
				}
				n.three(op, r, x, y)
			})
		})
	}
}

// timesLane is a fused multiply-add of v and a lane of s, which is a half.
func timesLane(op uint32, size int) func(neon) {
	return func(n neon) {
		at := uint32(n.imm) * uint32(size) / 4 // bits 11 and 21, the upper one first
		d, v := halves(n.dst), halves(n.v)
		for h := range n.count() {
			n.three(op|at>>1<<11|at&1<<21, d[h], v[h], uint32(n.src))
		}
	}
}

// shifted shifts by an immediate, into v.
func shifted(op uint32, size int) func(neon) {
	return func(n neon) {
		d, s, by := halves(n.v), halves(n.src), int(n.imm)
		at := size + by
		if op != neonShl {
			at = 2*size - by
		}
		for h := range n.count() {
			switch {
			case by == 0:
				n.move(d[h], s[h])
			case by >= size && op != neonSshr:
				n.emit32(neonZero | d[h])
			case by >= size:
				n.two(op|uint32(size+1)<<16, d[h], s[h])
			default:
				n.two(op|uint32(at)<<16, d[h], s[h])
			}
		}
	}
}

// productOfLower multiplies the lower halves of lanes of 8 bytes.
func (n neon) productOfLower() {
	n.each(func(d, v, s, t uint32) {
		n.two(neonXtn|2<<22, t, v)
		n.two(neonXtn|2<<22, uint32(temporary2), s)
		n.three(neonUmull, d, t, uint32(temporary2))
	})
}

// truncated converts float32 to integers. Numbers that do not fit become the least integer.
func (n neon) truncated() {
	const bound, worst = 0x4f026400 | 0xf<<5, 0x4f046400 // 2^31 as a number, and the least integer
	u := uint32(temporary2)
	n.each(func(d, _, s, t uint32) {
		n.two(neonZs, u, s)
		n.emit32(bound | t)
		n.three(neonFcmgt, t, t, s)
		n.emit32(worst | d)
		n.three(neonBsl, t, u, d)
		n.move(d, t)
	})
}

// truncatedPairs converts float64 to integers of 32 bits.
func (n neon) truncatedPairs() {
	s, d := halves(n.src), uint32(n.dst)
	whole, ok := uint32(temporary2), uint32(temporary)
	number, worst := whole+16, ok+16
	n.number(scratch, 1<<31)
	n.two(neonDupX|elementAt(0, 8), worst, scratch)
	for h := range n.count() {
		n.two(neonZs|ofPairs, whole, s[h])
		n.two(neonShl|(64+32)<<16, ok, whole)
		n.two(neonSshr|(128-32)<<16, ok, ok)
		n.three(neonCmeq|ofPairs, ok, ok, whole)
		n.three(neonFcmeq|ofPairs, number, s[h], s[h])
		n.three(neonAnd, ok, ok, number)
		n.three(neonBsl, ok, whole, worst)
		n.two(neonXtn|2<<22|uint32(h)*neonUpper, d, ok)
	}
}
