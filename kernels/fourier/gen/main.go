// Command gen writes the machine code of package fourier as assembly files: its innermost loops, for AVX2, AVX-512 and
// NEON. The bytes come from the encoder of package asm.
//
// main.go lists the loops, step.go has the loops around the programs of package butterfly, registers.go their
// instructions, and move.go copies numbers into blocks and out of them.
package main

import (
	"fmt"
	"log"

	"github.com/broadloom/broadloom/kernels/asm"
	"github.com/broadloom/broadloom/kernels/fourier/internal/butterfly"
	"github.com/broadloom/broadloom/kernels/internal/asmfile"
)

// arch is the architecture that code is written for.
var arch asm.Machine

func main() {
	write("amd64", machines[:4])
	arch = asm.ARM64
	write("arm64", machines[4:])
}

// write writes the loops of machines of an architecture.
func write(name string, machines []machine) {
	pkg := asmfile.NewPackage("fourier", arch)
	table := &pkg.Table
	add := func(name, args, doc string, a *asm.Asm) {
		a.Zeroupper()
		a.Return()
		_, code := a.Finish()
		pkg.Add(name, args, doc, code)
	}
	for _, m := range machines {
		fmt.Fprintf(table, "var steps%s%s = machineSteps{\ntransforms: [mostRadix + 1][factorKinds]func(*stepArgs){\n",
			m.name, m.element.name)
		for _, radix := range butterfly.Radices {
			fmt.Fprintf(table, "%d: {", radix)
			for _, k := range kinds {
				name := fmt.Sprintf("step%d%s%s%s", radix, k.name, m.name, m.element.name)
				add(name, "stepArgs", fmt.Sprintf("transforms %d points", radix),
					m.step(butterfly.Transform(radix, k.factors), k, radix))
				fmt.Fprintf(table, "%s, ", name)
			}
			table.WriteString("},\n")
		}
		table.WriteString("},\n")
		for _, p := range []struct {
			name string
			p    butterfly.Program
		}{{"ofReal", butterfly.OfReal()}, {"toReal", butterfly.ToReal()}} {
			fmt.Fprintf(table, "%s: [2]func(*stepArgs){", p.name)
			for _, k := range mirrored {
				name := p.name + k.name + m.name + m.element.name
				add(name, "stepArgs", "is the step of transforms of real numbers", m.step(p.p, k, 2))
				fmt.Fprintf(table, "%s, ", name)
			}
			table.WriteString("},\n")
		}
		table.WriteString("}\n\n")
	}
	for _, e := range elements {
		add("transpose"+e.name, "moveArgs", "transposes", e.transpose())
		for _, back := range []bool{false, true} {
			suffix := e.name
			if back {
				suffix = "Back" + suffix
			}
			add("part"+suffix, "moveArgs", "takes complex numbers apart", e.part(back))
			add("join"+suffix, "moveArgs", "joins parts of complex numbers", e.join(back))
		}
	}
	if err := pkg.Save("table_"+name+".s", "table_"+name+".go"); err != nil {
		log.Fatal(err)
	}
}

// element is a type of numbers.
type element struct {
	name                       string
	size                       int32
	add, sub, mul, broadcast   *asm.Op
	multiplyAdd, subtract, neg [3]*asm.Op
}

var elements = []element{
	{"Float32", 4, asm.ADDPS, asm.SUBPS, asm.MULPS, asm.BROADCASTSS, asm.FMADDPS, asm.FMSUBPS, asm.FNMADDPS},
	{"Float64", 8, asm.ADDPD, asm.SUBPD, asm.MULPD, asm.BROADCASTSD, asm.FMADDPD, asm.FMSUBPD, asm.FNMADDPD},
}

// machine is an instruction set and a type of numbers.
type machine struct {
	name    string
	width   asm.Width
	vectors int // that it has registers for
	element
}

var machines = []machine{
	{"AVX2", asm.W256, 16, elements[0]}, {"AVX2", asm.W256, 16, elements[1]},
	{"AVX512", asm.W512, 32, elements[0]}, {"AVX512", asm.W512, 32, elements[1]},
	{"NEON", asm.W256, int(asm.FirstTemporary), elements[0]}, {"NEON", asm.W256, int(asm.FirstTemporary), elements[1]},
}
