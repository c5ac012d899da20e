// Command gen writes the machine code of package depthwise as assembly files: its innermost loops, for AVX2, AVX-512
// and NEON. The bytes come from the encoder of package asm.
//
// main.go lists the loops and has the convolution, direct.go the one that copies no rows, sums.go the gradient for the
// filters, and move.go copies rows.
package main

import (
	"fmt"
	"log"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/internal/asmfile"
)

// arch is the architecture that code is written for.
var arch asm.Machine

func main() {
	write("amd64", machines[:2])
	arch = asm.ARM64
	write("arm64", machines[2:])
}

// write writes the loops of machines of an architecture.
func write(name string, machines []machine) {
	pkg := asmfile.NewPackage("depthwise", arch)
	table := &pkg.Table
	add := func(name, args, doc string, a *asm.Asm) {
		a.Zeroupper()
		a.Return()
		n, code := a.Finish()
		pkg.Add(name, args, doc, code[:n])
	}
	for _, m := range machines {
		add("conv"+m.name, "convArgs", "computes vectors of sums", m.conv())
		fmt.Fprintf(table, "var sums%s = [mostSums + 1]func(*sumsArgs){nil", m.name)
		for n := 1; n <= mostSums; n++ {
			name := fmt.Sprintf("sums%s%d", m.name, n)
			add(name, "sumsArgs", fmt.Sprintf("adds up %d sums of products", n), m.sums(n))
			fmt.Fprintf(table, ", %s", name)
		}
		table.WriteString("}\n\n")
	}
	add("copyRows", "moveArgs", "copies rows", move(copyPiece))
	add("splitRows", "moveArgs", "copies even elements of rows, and odd ones", move(splitPiece))
	add("joinRows", "moveArgs", "has even elements of rows come together with odd ones", move(joinPiece))
	if arch == asm.AMD64 {
		table.WriteString(addDirect(add))
	}
	if err := pkg.Save("table_"+name+".s", "table_"+name+".go"); err != nil {
		log.Fatal(err)
	}
}

// machine is an instruction set.
type machine struct {
	name  string
	width asm.Width
}

var machines = []machine{{"AVX2", asm.W256}, {"AVX512", asm.W512}, {"NEON", asm.W256}}

// The fields of convArgs, by offset. Those of sumsArgs begin alike.
const (
	argPlanes  = 0
	argVectors = 8
	argX       = 16
	argXPlane  = 24
	argY       = 32
	argYPlane  = 40
	argXNow    = 48
	argYNow    = 56
	argOffsets = 64
	argW       = 72
	argWPlane  = 80
	argTaps    = 88
)

// mostVectors is how many vectors of sums are computed side by side.
const mostVectors = 8

// conv is the code of
//
//	for p := range planes {
//		for v := range vectors {
//			for k := range taps {
//				y[p][v] = fma(w[p][k], x[p][offsets[k]:][v], y[p][v])
//			}
//		}
//	}
//
// with mostVectors vectors side by side, then with half as many.
func (m machine) conv() *asm.Asm {
	a := asm.New(arch)
	const vectors, x, offsets, taps, w, y, k, row = asm.RAX, asm.RSI, asm.R8, asm.RCX, asm.RDX, asm.RBX, asm.R9, asm.R10
	const factor = asm.Vec(mostVectors)
	size := int32(m.width.Bytes())
	firstPlane(a)
	load(a, offsets, argOffsets, taps, argTaps, w, argW)
	plane := a.Here()
	load(a, vectors, argVectors, x, argXNow, y, argYNow)
	for n := int32(mostVectors); n > 0; n /= 2 {
		done, blocks := a.NewLabel(), a.Here()
		a.SubImm(vectors, n)
		a.JumpIf(asm.Less, done)
		for v := range n {
			a.R(asm.XORPS, asm.W128, asm.Vec(v), asm.Vec(v), asm.Vec(v))
		}
		a.MovImm(k, 0)
		next := a.Here()
		a.MovLoad(row, asm.Indexed(offsets, k, 8, 0))
		a.M(asm.BROADCASTSS, m.width, factor, 0, asm.Indexed(w, k, 4, 0))
		for v := range n {
			a.M(asm.FMADDPS[2], m.width, asm.Vec(v), factor, asm.Indexed(x, row, 1, v*size))
		}
		a.AddImm(k, 1)
		a.Mov(row, k)
		a.Sub(row, taps)
		a.JumpIf(asm.Less, next)
		for v := range n {
			a.M(asm.MOVUPSSt, m.width, asm.Vec(v), 0, asm.At(y, v*size))
		}
		a.AddImm(x, n*size)
		a.AddImm(y, n*size)
		if n == mostVectors {
			a.Jump(blocks)
		} else {
			a.SubImm(vectors, n) // there is no other block of so many
		}
		a.Bind(done)
		a.AddImm(vectors, n)
	}
	a.AddLoad(w, asm.At(asm.RDI, argWPlane))
	nextPlane(a, plane)
	return a
}

// firstPlane begins with the first plane.
func firstPlane(a *asm.Asm) {
	begin(a, argX, argXNow)
	begin(a, argY, argYNow)
}

// begin copies a pointer of the arguments to a field that is no pointer for Go, so that it may point past the memory.
func begin(a *asm.Asm, from, to int32) {
	a.MovLoad(asm.R9, asm.At(asm.RDI, from))
	a.MovStore(asm.At(asm.RDI, to), asm.R9)
}

// nextPlane advances to the next plane, if there is one.
func nextPlane(a *asm.Asm, loop asm.Label) {
	advance(a, argXPlane, argXNow)
	advance(a, argYPlane, argYNow)
	a.Dec(asm.At(asm.RDI, argPlanes))
	a.JumpIf(asm.NotEqual, loop)
}

// advance adds one field of the arguments to others.
func advance(a *asm.Asm, step int32, fields ...int32) {
	a.MovLoad(asm.R9, asm.At(asm.RDI, step))
	for _, at := range fields {
		a.AddStore(asm.At(asm.RDI, at), asm.R9)
	}
}

// load loads fields of the arguments, to which DI points: registers and offsets in turn.
func load(a *asm.Asm, fields ...any) {
	for i := 0; i < len(fields); i += 2 {
		a.MovLoad(fields[i].(asm.Reg), asm.At(asm.RDI, int32(fields[i+1].(int))))
	}
}
