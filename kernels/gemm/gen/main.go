// Command gen writes the machine code of package gemm as an assembly file: the
// innermost loops of products, for AVX2 and AVX-512, and the transposition of blocks.
// The bytes come from the encoder of package amd64, so that the loops are code of the
// program itself and need no executable memory.
package main

import (
	"bytes"
	"fmt"
	"log"

	"github.com/broadloom/broadloom/kernels/amd64"
	"github.com/broadloom/broadloom/kernels/internal/asmfile"
)

func main() {
	var asm asmfile.File
	var table, stubs bytes.Buffer
	table.WriteString("package gemm\n\n")
	add := func(name, doc string, t tile) {
		asm.Add(name, "args", t.code())
		fmt.Fprintf(&stubs, "\n// %s multiplies tiles: %s.\n//\n//go:noescape\nfunc %s(args *tileArgs)\n", name, doc, name)
	}
	for _, m := range machines {
		for _, e := range elements {
			fmt.Fprintf(&table, "var tiles%s%s = [2][%d]func(*tileArgs){\n", e.name, m.name, m.rows+1)
			for _, masked := range []bool{false, true} {
				table.WriteString("\t{nil")
				for rows := 1; rows <= m.rows; rows++ {
					name := fmt.Sprintf("tile%s%sRows%d", e.name, m.name, rows)
					doc := fmt.Sprintf("%d rows", rows)
					if masked {
						name += "Masked"
						doc += ", some of the columns"
					}
					add(name, doc, tile{machine: m, element: e, rows: rows, masked: masked})
					fmt.Fprintf(&table, ", %s", name)
				}
				table.WriteString("},\n")
			}
			table.WriteString("}\n\n")
			add("tile"+e.name+m.name+"Copying", fmt.Sprintf("%d rows, copying B", m.rows), tile{machine: m, element: e, rows: m.rows, copies: true})
		}
	}
	for _, e := range elements {
		name := "transpose" + e.name
		asm.Add(name, "args", e.transpose())
		fmt.Fprintf(&stubs, "\n// %s transposes square blocks of 32 bytes a side.\n//\n//go:noescape\nfunc %s(args *transposeArgs)\n", name, name)
		name = "copyPieces" + e.name
		asm.Add(name, "args", e.copyPieces())
		fmt.Fprintf(&stubs, "\n// %s copies rows made up of pieces of 32 bytes.\n//\n//go:noescape\nfunc %s(args *piecesArgs)\n", name, name)
	}
	table.Write(stubs.Bytes())
	if err := asm.Save("tile_amd64.s"); err != nil {
		log.Fatal(err)
	}
	if err := asmfile.SaveGo("table_amd64.go", table.Bytes()); err != nil {
		log.Fatal(err)
	}
}

// finish gives code that refers to no constants.
func finish(a *amd64.Asm) []byte {
	n, all := a.Finish()
	return all[:n]
}
