// Command gen writes the machine code of package aot as assembly files, and the
// table of its functions.
package main

import (
	"bytes"
	"fmt"
	"log"
	"strings"

	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/kernels/internal/aot"
	"github.com/broadloom/broadloom/kernels/internal/asmfile"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

func main() {
	write("amd64", cpu.AVX2, cpu.AVX512)
	write("arm64", cpu.NEON)
}

// write writes the code and the table of an architecture's sets of instructions.
func write(arch string, sets ...cpu.ISA) {
	var table, stubs bytes.Buffer
	table.WriteString("package aot\n\nimport (\n\"github.com/broadloom/broadloom/kernels/cpu\"\n" +
		"\"github.com/broadloom/broadloom/kernels/rowprog\"\n)\n\nvar tables = map[cpu.ISA]map[Key]Func{\n")
	for _, isa := range sets {
		file := asmfile.File{Machine: aot.Target(isa).Machine()}
		fmt.Fprintf(&table, "cpu.%s: {\n", strings.ToUpper(isa.String()))
		for _, k := range aot.Keys() {
			code, err := aot.Code(k, isa)
			if err != nil {
				log.Fatal(err)
			}
			name := name(k) + strings.ToUpper(isa.String())
			file.Add(name, "block", code)
			fmt.Fprintf(&table, "\t{rowprog.Op%s, rowprog.%s, %d}: %s,\n", opName(k.Op), typeName(k.Type), k.Scalar,
				name)
			fmt.Fprintf(&stubs, "\n//go:noescape\nfunc %s(block *Block)\n", name)
		}
		table.WriteString("},\n")
		if err := file.Save(isa.String() + "_" + arch + ".s"); err != nil {
			log.Fatal(err)
		}
	}
	table.WriteString("}\n")
	table.Write(stubs.Bytes())
	if err := asmfile.SaveGo("table_"+arch+".go", table.Bytes()); err != nil {
		log.Fatal(err)
	}
}

// opName is package rowprog's name of an operation, without "Op".
func opName(op rowprog.Op) string {
	switch op {
	case rowprog.OpFMA:
		return "FMA"
	case rowprog.OpFloorDiv:
		return "FloorDiv"
	}
	return capitalized(op.String())
}

// capitalized joins words, each capitalized.
func capitalized(words string) string {
	var joined string
	for word := range strings.SplitSeq(words, "_") {
		joined += strings.ToUpper(word[:1]) + word[1:]
	}
	return joined
}

func typeName(t rowprog.Type) string {
	if t == rowprog.F64 {
		return "F64"
	}
	return "F32"
}

func name(k aot.Key) string {
	words := capitalized(k.Op.String())
	return strings.ToLower(words[:1]) + words[1:] + typeName(k.Type) +
		[...]string{"", "ScalarFirst", "Scalar"}[k.Scalar]
}
