package asm

func (a *Asm) armMovLoad(r Reg, m Mem)   { a.armLoad(loadX, r, m) }
func (a *Asm) armMovLoad32(r Reg, m Mem) { a.armLoad(loadW, r, m) }

func (a *Asm) armLoad(x access, r Reg, m Mem) {
	a.mem(x, uint32(r), m)
	a.sums.change(r)
}

func (a *Asm) armMovStore(m Mem, r Reg)   { a.mem(storeX, uint32(r), m) }
func (a *Asm) armMovStore32(m Mem, r Reg) { a.mem(storeW, uint32(r), m) }
func (a *Asm) armMovStore8(m Mem, r Reg)  { a.mem(storeB, uint32(r), m) }

func (a *Asm) armMovLoad8(r Reg, m Mem) {
	a.mem(loadB, scratch, m)
	a.two(armBfm|7<<10, uint32(r), scratch)
	a.sums.change(r)
}

func (a *Asm) armMov(d, s Reg) {
	a.three(armOrr, uint32(d), zeroReg, uint32(s))
	a.sums.change(d)
}

func (a *Asm) armMov32(d, s Reg) {
	a.three(armOrr32, uint32(d), zeroReg, uint32(s))
	a.sums.change(d)
}

func (a *Asm) armMovImm(d Reg, v uint64) {
	a.number(uint32(d), v)
	a.sums.change(d)
}

func (a *Asm) armMovStoreImm(m Mem, v int32) {
	a.number(scratch2, uint64(int64(v)))
	a.mem(storeX, scratch2, m)
}

func (a *Asm) armLea(r Reg, m Mem) {
	base, disp := a.place(m)
	a.add(uint32(r), base, disp)
	a.sums.change(r)
}

func (a *Asm) armAdd(d, s Reg) {
	a.three(armAdds, uint32(d), uint32(d), uint32(s))
	a.sums.change(d)
}

func (a *Asm) armAddLoad(r Reg, m Mem) {
	a.mem(loadX, scratch, m)
	a.three(armAdds, uint32(r), uint32(r), scratch)
	a.sums.change(r)
}

// update changes memory.
func (a *Asm) update(m Mem, change func(x uint32)) {
	base, disp := a.address(m)
	a.memAt(loadX, scratch2, base, disp)
	change(scratch2)
	a.memAt(storeX, scratch2, base, disp)
}

func (a *Asm) armAddStore(m Mem, r Reg) {
	a.update(m, func(x uint32) { a.three(armAdds, x, x, uint32(r)) })
}

func (a *Asm) armDec(m Mem) {
	a.update(m, func(x uint32) { a.subFlags(x, x, 1) })
}

func (a *Asm) armSub(d, s Reg) {
	a.three(armSubs, uint32(d), uint32(d), uint32(s))
	a.sums.change(d)
}

func (a *Asm) armSubLoad(r Reg, m Mem) {
	a.mem(loadX, scratch, m)
	a.three(armSubs, uint32(r), uint32(r), scratch)
	a.sums.change(r)
}

func (a *Asm) armAnd(d, s Reg) {
	a.three(armAnds, uint32(d), uint32(d), uint32(s))
	a.sums.change(d)
}

func (a *Asm) armXor(d, s Reg) {
	a.three(armEor, uint32(d), uint32(d), uint32(s))
	a.three(armAnds, zeroReg, uint32(d), uint32(d))
	a.sums.change(d)
}

func (a *Asm) armNot(r Reg) {
	a.three(armOrn, uint32(r), zeroReg, uint32(r))
	a.sums.change(r)
}

func (a *Asm) armMulLoad(r Reg, m Mem) {
	a.mem(loadX, scratch, m)
	a.three(armMul, uint32(r), uint32(r), scratch)
	a.sums.change(r)
}

func (a *Asm) armCmpLoad(r Reg, m Mem) {
	a.mem(loadX, scratch, m)
	a.three(armSubs, zeroReg, uint32(r), scratch)
}

func (a *Asm) armTest(x, y Reg) { a.three(armAnds, zeroReg, uint32(x), uint32(y)) }

func (a *Asm) armAddImm(r Reg, v int32) {
	a.addFlags(uint32(r), uint32(r), v)
	a.sums.change(r)
}

func (a *Asm) armSubImm(r Reg, v int32) {
	a.subFlags(uint32(r), uint32(r), v)
	a.sums.change(r)
}

func (a *Asm) armAndImm(r Reg, v int32) {
	a.logic(armAnds, uint32(r), uint32(r), v)
	a.sums.change(r)
}

func (a *Asm) armXorImm(r Reg, v int32) {
	a.logic(armEor, uint32(r), uint32(r), v)
	a.sums.change(r)
}

func (a *Asm) armCmpMemImm(m Mem, v int8) {
	a.mem(loadX, scratch, m)
	if v < 0 {
		panic("arm64: memory is compared with a negative number")
	}
	a.subFlags(zeroReg, scratch, int32(v))
}

func (a *Asm) armShl(r Reg, n uint8) { a.shiftBy(r, n, true) }
func (a *Asm) armShr(r Reg, n uint8) { a.shiftBy(r, n, false) }

func (a *Asm) armTrailingZeros(d, s Reg) {
	a.two(armRbit, uint32(d), uint32(s))
	a.two(armClz, uint32(d), uint32(d))
	a.sums.change(d)
}

func (a *Asm) armJump(l Label) { a.branch(armB, l) }

func (a *Asm) armJumpIf(c Cond, l Label) { a.branch(armBcond|conditions[c], l) }

// armCall keeps where the code itself returns to, so that what it calls must not call.
func (a *Asm) armCall(r Reg) {
	a.three(armOrr, savedReturn, zeroReg, returnsTo)
	a.two(armBlr, 0, uint32(r))
	a.three(armOrr, returnsTo, zeroReg, savedReturn)
	a.sums.forget()
}

func (a *Asm) armReturn()        { a.word(armRet) }
func (a *Asm) armStoreFence()    { a.word(armDmb) }
func (a *Asm) armPrefetch(m Mem) { a.mem(prefetch, 0, m) }
