// Command gen writes the machine code of package triangular as assembly files: its innermost loops, for AVX2, AVX-512
// and NEON. The bytes come from the encoder of package asm.
package main

import (
	"fmt"
	"log"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/internal/asmfile"
)

// arch is what code is written for.
var arch asm.Machine

func main() {
	write("amd64", machines[:4])
	arch = asm.ARM64
	write("arm64", machines[4:])
}

// write writes the loops of machines of an architecture.
func write(name string, machines []machine) {
	pkg := asmfile.NewPackage("triangular", arch)
	for _, m := range machines {
		fmt.Fprintf(&pkg.Table,
			"var loops%s = loops{rows: %d, strips: %d, blocks: [modes][mostStrips]func(*blockArgs){\n", m.name, m.rows, m.strips)
		for _, mode := range []string{"less", "solved", "unit"} {
			fmt.Fprintf(&pkg.Table, "%s: {", mode)
			for strips := 1; strips <= m.strips; strips++ {
				name := fmt.Sprintf("%s%s%d", mode, m.name, strips)
				_, code := m.block(strips, mode).Finish()
				pkg.Add(name, "blockArgs", "computes a block", code)
				fmt.Fprintf(&pkg.Table, "%s, ", name)
			}
			pkg.Table.WriteString("},\n")
		}
		pkg.Table.WriteString("}")
		for _, loop := range []string{"dots", "adds", "both"} {
			name := loop + m.name
			_, code := m.rowsLoop(loop != "adds", loop != "dots").Finish()
			pkg.Add(name, "rowsArgs", "goes along rows", code)
			fmt.Fprintf(&pkg.Table, ", %s: %s", loop, name)
		}
		pkg.Table.WriteString("}\n\n")
	}
	if err := pkg.Save("table_"+name+".s", "table_"+name+".go"); err != nil {
		log.Fatal(err)
	}
}

// machine is an instruction set and a type of numbers, with how many rows and strips of columns a block has.
type machine struct {
	name         string
	width        asm.Width
	rows, strips int
	numbers      *numbers
}

// numbers are instructions for numbers of one type, which are as wide as some bytes.
type numbers struct {
	bytes                                    int32
	broadcast, divide, multiplyAdd, subtract *asm.Op
}

var (
	of64     = &numbers{8, asm.BROADCASTSD, asm.DIVPD, asm.FMADDPD[2], asm.FNMADDPD[2]}
	of32     = &numbers{4, asm.BROADCASTSS, asm.DIVPS, asm.FMADDPS[2], asm.FNMADDPS[2]}
	machines = []machine{
		{"AVX2", asm.W256, 4, 1, of64}, {"AVX2of32", asm.W256, 4, 1, of32}, {"AVX512", asm.W512, 8, 3, of64},
		{"AVX512of32", asm.W512, 8, 3, of32},
		{"NEON", asm.W256, 4, 1, of64}, {"NEONof32", asm.W256, 4, 1, of32},
	}
)

// stripBytes are those of a row of a strip.
const stripBytes = 64

// The fields of blockArgs, by offset.
const (
	argL       = 0
	argLRow    = 8
	argLColumn = 16
	argX       = 24
	argXRow    = 32
	argC       = 40
	argCRow    = 48
	argInner   = 56
)

// Registers. The upper ones point to the row 4.
const (
	l, lUpper   = asm.RSI, asm.R8
	lRow, lRow3 = asm.R9, asm.R10
	lColumn     = asm.R11
	x, xRow     = asm.RDX, asm.RBX
	c, cUpper   = asm.RCX, asm.R14
	cRow, cRow3 = asm.R12, asm.R13
	inner       = asm.RAX
)

// block is the code of
//
//	for k := range inner {
//		for r := range rows {
//			c[r] = fma(-l[r][k], x[k], c[r])
//		}
//	}
//
// with rows of some strips, and, of a system,
//
//	for k := range rows {
//		c[k] /= l[k][inner+k] // unless that counts as 1
//		for r := k + 1; r < rows; r++ {
//			c[r] = fma(-l[r][inner+k], c[k], c[r])
//		}
//	}
func (m machine) block(strips int, mode string) *asm.Asm {
	a := asm.New(arch)
	vectors := strips * stripBytes / m.width.Bytes()
	sum := func(row, v int) asm.Vec { return asm.Vec(row*vectors + v) }
	factor := asm.Vec(m.rows * vectors)
	number := func(v int) asm.Vec { return factor + 1 + asm.Vec(v) }
	for _, f := range []struct {
		r  asm.Reg
		at int32
	}{{l, argL}, {lRow, argLRow}, {lColumn, argLColumn}, {x, argX}, {xRow, argXRow}, {c, argC}, {cRow, argCRow},
		{inner, argInner}} {
		a.MovLoad(f.r, asm.At(asm.RDI, f.at))
	}
	a.Lea(lRow3, asm.Indexed(lRow, lRow, 2, 0))
	a.Lea(cRow3, asm.Indexed(cRow, cRow, 2, 0))
	a.Lea(lUpper, asm.Indexed(l, lRow, 4, 0))
	a.Lea(cUpper, asm.Indexed(c, cRow, 4, 0))
	column := func() { // on to the next column
		a.Add(l, lColumn)
		if m.rows > 4 {
			a.Add(lUpper, lColumn)
		}
	}
	eachSum := func(op *asm.Op) {
		for r := range m.rows {
			for v := range vectors {
				a.M(op, m.width, sum(r, v), 0, at(c, cUpper, cRow, cRow3, r, int32(v*m.width.Bytes())))
			}
		}
	}
	eachSum(asm.MOVUPS)
	next, done := a.NewLabel(), a.NewLabel()
	a.Bind(next)
	a.SubImm(inner, 1)
	a.JumpIf(asm.Less, done)
	for v := range vectors {
		a.M(asm.MOVUPS, m.width, number(v), 0, asm.At(x, int32(v*m.width.Bytes())))
	}
	for r := range m.rows {
		a.M(m.numbers.broadcast, m.width, factor, 0, at(l, lUpper, lRow, lRow3, r, 0))
		for v := range vectors {
			a.R(m.numbers.subtract, m.width, sum(r, v), factor, number(v))
		}
	}
	column()
	a.Add(x, xRow)
	a.Jump(next)
	a.Bind(done)
	for k := 0; mode != "less" && k < m.rows; k++ {
		if mode == "solved" {
			a.M(m.numbers.broadcast, m.width, factor, 0, at(l, lUpper, lRow, lRow3, k, 0))
			for v := range vectors {
				a.R(m.numbers.divide, m.width, sum(k, v), sum(k, v), factor)
			}
		}
		for r := k + 1; r < m.rows; r++ {
			a.M(m.numbers.broadcast, m.width, factor, 0, at(l, lUpper, lRow, lRow3, r, 0))
			for v := range vectors {
				a.R(m.numbers.subtract, m.width, sum(r, v), factor, sum(k, v))
			}
		}
		column()
	}
	eachSum(asm.MOVUPSSt)
	a.Zeroupper()
	a.Return()
	return a
}

// at is a place in a row, counted from that at base; upper points to the row 4.
func at(base, upper, row, row3 asm.Reg, r int, bytes int32) asm.Mem {
	if r >= 4 {
		base = upper
	}
	switch r % 4 {
	case 1:
		return asm.Indexed(base, row, 1, bytes)
	case 2:
		return asm.Indexed(base, row, 2, bytes)
	case 3:
		return asm.Indexed(base, row3, 1, bytes)
	}
	return asm.At(base, bytes)
}
