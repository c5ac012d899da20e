// Command gen writes the machine code of package static as an assembly file, and the
// table of its functions.
package main

import (
	"bytes"
	"fmt"
	"log"
	"strings"

	"github.com/broadloom/broadloom/kernels/internal/asmfile"
	"github.com/broadloom/broadloom/kernels/internal/static"
	"github.com/broadloom/broadloom/kernels/lower"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

func main() {
	var asm asmfile.File
	var table, stubs bytes.Buffer
	table.WriteString("package static\n\n" +
		"import \"github.com/broadloom/broadloom/kernels/rowprog\"\n\nvar table = map[Key]Func{\n")
	for _, k := range static.Keys() {
		p, err := static.Program(k)
		if err != nil {
			log.Fatal(err)
		}
		c, err := lower.Compile(p, lower.AVX2)
		if err != nil {
			log.Fatal(err)
		}
		if c.Layout.Size > 8*static.BlockWords {
			log.Fatalf("%v needs %d bytes of arguments", k, c.Layout.Size)
		}
		name := name(k)
		asm.Add(name, "block", c.Bytes)
		fmt.Fprintf(&table, "\t{rowprog.Op%s, rowprog.%s, %d}: %s,\n", opName(k.Op), typeName(k.Type), k.Scalar, name)
		fmt.Fprintf(&stubs, "\n//go:noescape\nfunc %s(block *Block)\n", name)
	}
	table.WriteString("}\n")
	table.Write(stubs.Bytes())
	if err := asm.Save("code_amd64.s"); err != nil {
		log.Fatal(err)
	}
	if err := asmfile.SaveGo("table_amd64.go", table.Bytes()); err != nil {
		log.Fatal(err)
	}
}

// opName is how package rowprog calls an operation, less "Op".
func opName(op rowprog.Op) string {
	if op == rowprog.OpFMA {
		return "FMA"
	}
	return strings.ToUpper(op.String()[:1]) + op.String()[1:]
}

func typeName(t rowprog.Type) string {
	if t == rowprog.F64 {
		return "F64"
	}
	return "F32"
}

func name(k static.Key) string {
	return k.Op.String() + typeName(k.Type) + [...]string{"", "ScalarFirst", "Scalar"}[k.Scalar]
}
