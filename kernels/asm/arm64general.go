package asm

func (a *arm64) MovLoad(r Reg, m Mem)   { a.loadGeneral(loadX, r, m) }
func (a *arm64) MovLoad32(r Reg, m Mem) { a.loadGeneral(loadW, r, m) }

// loadGeneral loads a general register.
func (a *arm64) loadGeneral(x access, r Reg, m Mem) {
	a.mem(x, uint32(r), m)
	a.sums.change(r)
}

func (a *arm64) MovLoad8(r Reg, m Mem) {
	a.mem(loadB, scratch, m)
	a.two(armBfm|7<<10, uint32(r), scratch)
	a.sums.change(r)
}

func (a *arm64) MovStore(m Mem, r Reg)   { a.mem(storeX, uint32(r), m) }
func (a *arm64) MovStore32(m Mem, r Reg) { a.mem(storeW, uint32(r), m) }
func (a *arm64) MovStore8(m Mem, r Reg)  { a.mem(storeB, uint32(r), m) }

func (a *arm64) MovStoreImm(m Mem, v int32) {
	a.number(scratch2, uint64(int64(v)))
	a.mem(storeX, scratch2, m)
}

func (a *arm64) MovImm(d Reg, v uint64) {
	a.number(uint32(d), v)
	a.sums.change(d)
}

func (a *arm64) Lea(r Reg, m Mem) {
	base, disp := a.place(m)
	a.add(0, uint32(r), base, disp)
	a.sums.change(r)
}

// compute is d = n op m.
func (a *arm64) compute(op uint32, d Reg, n, m uint32) {
	a.three(op, uint32(d), n, m)
	a.sums.change(d)
}

// computeLoad is r = r op memory.
func (a *arm64) computeLoad(op uint32, r Reg, m Mem) {
	a.mem(loadX, scratch, m)
	a.compute(op, r, uint32(r), scratch)
}

func (a *arm64) Mov(d, s Reg)         { a.compute(armOrr, d, zeroReg, uint32(s)) }
func (a *arm64) Mov32(d, s Reg)       { a.compute(armOrr32, d, zeroReg, uint32(s)) }
func (a *arm64) Not(r Reg)            { a.compute(armOrn, r, zeroReg, uint32(r)) }
func (a *arm64) Add(d, s Reg)         { a.compute(armAdds, d, uint32(d), uint32(s)) }
func (a *arm64) Sub(d, s Reg)         { a.compute(armSubs, d, uint32(d), uint32(s)) }
func (a *arm64) And(d, s Reg)         { a.compute(armAnds, d, uint32(d), uint32(s)) }
func (a *arm64) AddLoad(r Reg, m Mem) { a.computeLoad(armAdds, r, m) }
func (a *arm64) SubLoad(r Reg, m Mem) { a.computeLoad(armSubs, r, m) }
func (a *arm64) MulLoad(r Reg, m Mem) { a.computeLoad(armMul, r, m) }

func (a *arm64) Xor(d, s Reg) {
	a.compute(armEor, d, uint32(d), uint32(s))
	a.Test(d, d)
}

// update changes memory.
func (a *arm64) update(m Mem, change func(x uint32)) {
	base, disp := a.address(m)
	a.memAt(loadX, scratch2, base, disp)
	change(scratch2)
	a.memAt(storeX, scratch2, base, disp)
}

func (a *arm64) AddStore(m Mem, r Reg) {
	a.update(m, func(x uint32) { a.three(armAdds, x, x, uint32(r)) })
}

func (a *arm64) Dec(m Mem) {
	a.update(m, func(x uint32) { a.subFlags(x, x, 1) })
}

func (a *arm64) Test(x, y Reg) { a.three(armAnds, zeroReg, uint32(x), uint32(y)) }

func (a *arm64) CmpLoad(r Reg, m Mem) {
	a.mem(loadX, scratch, m)
	a.three(armSubs, zeroReg, uint32(r), scratch)
}

func (a *arm64) CmpMemImm(m Mem, v int8) {
	a.mem(loadX, scratch, m)
	if v < 0 {
		panic("arm64: memory is compared with a negative number")
	}
	a.subFlags(zeroReg, scratch, int32(v))
}

func (a *arm64) AddImm(r Reg, v int32) {
	a.add(armFlags, uint32(r), uint32(r), v)
	a.sums.change(r)
}

func (a *arm64) SubImm(r Reg, v int32) {
	a.subFlags(uint32(r), uint32(r), v)
	a.sums.change(r)
}

func (a *arm64) AndImm(r Reg, v int32) {
	a.number(scratch, uint64(int64(v)))
	a.compute(armAnds, r, uint32(r), scratch)
}

func (a *arm64) XorImm(r Reg, v int32) {
	a.number(scratch, uint64(int64(v)))
	a.compute(armEor, r, uint32(r), scratch)
	a.Test(r, r)
}

func (a *arm64) Shl(r Reg, n uint8) { a.shift(r, -n&63, 63-n) }
func (a *arm64) Shr(r Reg, n uint8) { a.shift(r, n, 63) }

// shift rotates r to the right and keeps its bits up to last; the higher ones become zero.
func (a *arm64) shift(r Reg, by, last uint8) {
	a.two(armUbfm|uint32(by)<<16|uint32(last)<<10, uint32(r), uint32(r))
	a.sums.change(r)
}

func (a *arm64) TrailingZeros(d, s Reg) {
	a.two(armRbit, uint32(d), uint32(s))
	a.two(armClz, uint32(d), uint32(d))
	a.sums.change(d)
}

func (a *arm64) Jump(l Label)           { a.branch(armB, l) }
func (a *arm64) JumpIf(c Cond, l Label) { a.branch(armBcond|conditions[c], l) }

// Call saves the return address of the code itself, so the called code must not make calls.
func (a *arm64) Call(r Reg) {
	a.three(armOrr, savedReturn, zeroReg, returnsTo)
	a.two(armBlr, 0, uint32(r))
	a.three(armOrr, returnsTo, zeroReg, savedReturn)
	a.entries++
}

func (a *arm64) Return()        { a.emit32(armRet) }
func (a *arm64) StoreFence()    { a.emit32(armDmb) }
func (a *arm64) Prefetch(m Mem) { a.mem(prefetch, 0, m) }
func (a *arm64) Zeroupper()     {} // no code runs slowly for them
