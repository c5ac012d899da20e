package backend

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// dumpDir is the directory to which row programs and their machine code are written as text, if BROADLOOM_DUMP names
// one.
var dumpDir = os.Getenv("BROADLOOM_DUMP")

// dump writes a program and its code, nil if it is interpreted because of err, to a file whose
// name begins with the kind of the code. It must not stop a compilation, so a failure is only
// reported on standard error.
func dump(p *rowprog.Program, kind string, c *codegen.Code, err error) {
	if dumpDir == "" {
		return
	}
	h := fnv.New64a()
	h.Write([]byte(p.Key()))
	var text strings.Builder
	text.WriteString(p.String())
	if err != nil {
		fmt.Fprintf(&text, "\ninterpreted: %v\n", err)
	} else {
		fmt.Fprintf(&text, "\n%d bytes of code, %d of constants, %d of arguments\n\n%s", c.Length,
			len(c.Bytes)-c.Length,
			c.Layout.Size, disassemble(c.Bytes[:c.Length]))
	}
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>| `, r) {
			return '-'
		}
		return r
	}, p.Name)
	file := filepath.Join(dumpDir, fmt.Sprintf("%s%s-%016x.txt", kind, name, h.Sum64()))
	if err := os.MkdirAll(dumpDir, 0o755); err != nil {
		fmt.Fprintln(os.Stderr, "broadloom:", err)
		return
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "broadloom:", err)
	}
}

// disassemble returns code as the text of objdump or, without it, in hexadecimal.
func disassemble(code []byte) string {
	tool, err := exec.LookPath("objdump")
	if err != nil {
		return hex.Dump(code)
	}
	file, err := os.CreateTemp("", "broadloom-*.bin")
	if err != nil {
		return hex.Dump(code)
	}
	defer os.Remove(file.Name())
	_, err = file.Write(code)
	if cerr := file.Close(); err != nil || cerr != nil {
		return hex.Dump(code)
	}
	out, err := exec.Command(tool, "-D", "-w", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", file.Name()).Output()
	if err != nil {
		return hex.Dump(code)
	}
	_, lines, _ := strings.Cut(string(out), "<.data>:\n")
	return lines
}
