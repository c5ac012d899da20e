package asm

import "math/bits"

// spread broadcasts the first element to all lanes.
func spread(size int) func(neon) {
	return func(n neon) {
		d := halves(n.dst)
		for h := n.count() - 1; h >= 0; h-- {
			n.duplicate(d[h], uint32(n.src), 0, size)
		}
	}
}

// repeated broadcasts an element of memory to all lanes.
func repeated(size int) func(neon, Mem) {
	log := uint32(bits.TrailingZeros(uint(size)))
	return func(n neon, m Mem) {
		d := halves(n.dst)
		n.two(neonLd1r|log<<10, d[0], n.pointer(m))
		if n.count() == 2 {
			n.move(d[1], d[0])
		}
	}
}

// loadLane is v with one lane from memory.
func loadLane(size int, lane func(neon) int) func(neon, Mem) {
	return func(n neon, m Mem) {
		n.move(uint32(n.dst), uint32(n.v))
		n.laneMem(neonLd1, uint32(n.dst), lane(n), size, m)
	}
}

// into calls write with a register that is none of the others, since the result must not overwrite an operand before it
// is complete. The result is then moved to d.
func (n neon) into(d, t uint32, others [2]uint32, write func(r uint32)) {
	r := d
	if d == others[0] || d == others[1] {
		r = t
	}
	write(r)
	n.move(d, r)
}

// signs is the signs of lanes of 4 bytes, as bits of a general register.
func (n neon) signs() {
	t, byBit, s := uint32(temporary), uint32(temporary2), halves(n.src)
	which := uint64(0x8040201008040201)
	if n.w == W128 {
		s[1], which = s[0], 0x08040201
	}
	n.number(scratch, which)
	n.two(fmovToD, byBit, scratch)
	n.three(neonUzp2&^(3<<22)|1<<22, t, s[0], s[1]) // the upper words
	n.two(neonSshr|(32-15)<<16, t, t)
	n.two(neonXtn, t, t)
	n.three(neonAnd, t, t, byBit)
	n.two(neonAddv8, t, t)
	n.two(neonUmovW|elementAt(0, 1), uint32(n.dst), t)
	n.sums.change(Reg(n.dst))
}

// widened widens the lanes of the lower half.
func widened(op uint32) func(neon) {
	return func(n neon) {
		d := halves(n.dst)
		for h := n.count() - 1; h >= 0; h-- {
			n.two(op|uint32(h)*neonUpper, d[h], uint32(n.src))
		}
	}
}

// widenedBytes widens bytes to lanes of 4 bytes.
func widenedBytes(op uint32) func(neon) {
	return func(n neon) {
		d, t := halves(n.dst), uint32(temporary)
		n.two(op|8<<16, t, uint32(n.src))
		for h := n.count() - 1; h >= 0; h-- {
			n.two(op|16<<16|uint32(h)*neonUpper, d[h], t)
		}
	}
}

// narrowed narrows lanes to contiguous smaller ones.
func (n neon) narrowed(op uint32, dst, src Vec) {
	s := halves(src)
	for h := range n.count() {
		n.two(op|uint32(h)*neonUpper, uint32(dst), s[h])
	}
}

// packed narrows the lanes of both operands, with saturation.
func packed(op uint32) func(neon) {
	return func(n neon) {
		n.each(func(d, v, s, t uint32) {
			n.into(d, t, [2]uint32{s, s}, func(r uint32) {
				n.two(op, r, v)
				n.two(op|neonUpper, r, s)
			})
		})
	}
}

// insertHalf is v with one half replaced by the lower half of s.
func (n neon) insertHalf() {
	d, v := halves(n.dst), halves(n.v)
	if n.imm&1 == 1 {
		n.move(d[1], uint32(n.src))
		n.move(d[0], v[0])
		return
	}
	n.move(d[1], v[1])
	n.move(d[0], uint32(n.src))
}

// chooseHalves selects each half from those of v and s.
func (n neon) chooseHalves() {
	v, s, d := halves(n.v), halves(n.src), halves(n.dst)
	all := [4]uint32{v[0], v[1], s[0], s[1]}
	low, high := all[n.imm&3], all[n.imm>>4&3]
	if n.imm&0x88 != 0 {
		panic("arm64: a half is cleared")
	}
	if high == d[0] {
		t := uint32(temporary)
		n.move(t, high)
		high = t
	}
	n.move(d[0], low)
	n.move(d[1], high)
}

// shuffle is two elements of v and two of s.
func (n neon) shuffle(d, v, s, t uint32) {
	at := func(i int) int { return int(n.imm >> (2 * i) & 3) }
	switch {
	case n.imm == 0x88:
		n.three(neonUzp1, d, v, s)
	case n.imm == 0xdd:
		n.three(neonUzp2, d, v, s)
	case n.imm == 0x44:
		n.three(neonZip1|ofPairs, d, v, s)
	case n.imm == 0xee:
		n.three(neonZip2|ofPairs, d, v, s)
	case n.imm == 0x4e:
		n.three(neonExt|8<<11, d, v, s)
	case v == s && at(0) == at(1) && at(1) == at(2) && at(2) == at(3):
		n.duplicate(d, s, at(0), 4)
	default:
		n.into(d, t, [2]uint32{v, s}, func(r uint32) {
			for i := range 4 {
				from := v
				if i >= 2 {
					from = s
				}
				n.insert(r, i, from, at(i), 4)
			}
		})
	}
}

// blendLanes is the lanes of s whose bits are set, and otherwise those of v.
func (n neon) blendLanes() {
	h := 0
	n.each(func(d, v, s, t uint32) {
		which := n.imm >> (4 * h) & 15
		h++
		n.into(d, t, [2]uint32{s, s}, func(r uint32) {
			n.move(r, v)
			for i := range 4 {
				if which>>i&1 == 1 {
					n.insert(r, i, s, i, 4)
				}
			}
		})
	})
}

// lookUp is the elements of s, of 4 bytes, at the places in v.
func (n neon) lookUp() {
	d, v, s := halves(n.dst), halves(n.v), halves(n.src)
	table, upper := uint32(temporary2), uint32(temporary) // side by side
	bytes, places := table+16, upper+16
	last := uint32(memoryTemporary) + 16
	n.move(table, s[0])
	n.move(upper, s[1])
	n.number(scratch, 0x04040404)
	n.two(neonDupX|elementAt(0, 4), bytes, scratch)
	n.number(scratch, 0x03020100)
	n.two(neonDupX|elementAt(0, 4), last, scratch)
	for h := range n.count() {
		n.three(neonMul, places, v[h], bytes)
		n.three(neonAdd, places, places, last)
		n.three(neonTbl2, d[h], table, places)
	}
}

// masked loads or stores the lanes whose signs are set in v, which are the first ones; others become zero. accesses are
// those of 16, 8 and 4 bytes.
func (n neon) masked(size int, m Mem, accesses [3]access, op uint32) {
	d, mask := halves(n.dst), halves(n.v)
	base, disp := n.address(m)
	n.add(0, scratch, base, disp)
	for h := range n.count() {
		end, whole := n.NewLabel(), n.NewLabel()
		at := int32(16 * h)
		jump := func(op uint32, lane int, to Label) { // on the sign of a lane of 4 bytes
			n.two(neonUmovW|elementAt(lane, 4), scratch2, mask[h])
			n.branch(op|31<<19|scratch2, to)
		}
		jump(armTbnz, 3, whole)
		if op == neonLd1 {
			n.emit32(neonZero | d[h])
		}
		if size == 4 {
			one := n.NewLabel()
			jump(armTbz, 1, one)
			n.memAt(accesses[1], d[h], scratch, at)
			jump(armTbz, 2, end)
			n.add(0, scratch2, scratch, at+8)
			n.two(op|lane(2, 4), d[h], scratch2)
			n.Jump(end)
			n.Bind(one)
		}
		jump(armTbz, 0, end)
		n.memAt(accesses[2], d[h], scratch, at)
		n.Jump(end)
		n.Bind(whole)
		n.memAt(accesses[0], d[h], scratch, at)
		n.Bind(end)
	}
}
