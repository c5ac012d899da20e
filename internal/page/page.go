package page

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"html"
	"io"
)

// Document is all that a page shows. Its JSON is read by the page's own scripts.
type Document struct {
	Title    string    `json:"title"`
	Columns  []*Column `json:"columns"`
	Kernels  []Kernel  `json:"kernels,omitempty"` // of the last column
	Memory   *Memory   `json:"memory,omitempty"`
	Notes    []string  `json:"notes,omitempty"` // what the page could not show, and why
	Mistakes []Mistake `json:"mistakes,omitempty"`
	Report   string    `json:"report,omitempty"` // the last line of the check's report
}

// Column is the program after a pass.
type Column struct {
	Name   string   `json:"name"`
	Doc    string   `json:"doc"`
	Passes []string `json:"passes,omitempty"` // passes since the column before that are not shown
	Values []Value  `json:"values"`
}

// Value is one node. Operands are given by their places in the column.
type Value struct {
	Label    string    `json:"l"`
	Name     string    `json:"n,omitempty"` // the user's, without scopes
	Op       string    `json:"o"`
	Type     string    `json:"t"` // "?" where it was not judged
	Attrs    string    `json:"a,omitempty"`
	Scope    string    `json:"s,omitempty"`
	Role     string    `json:"r,omitempty"` // input, param, const, reduce, movement, update or nothing
	Part     int       `json:"g,omitempty"` // 0 forward, 1 gradient, 2 update
	Operands []Operand `json:"x,omitempty"`
	Pos      string    `json:"p,omitempty"` // file and line, after the call that the value is a part of
	File     string    `json:"f,omitempty"` // the file's whole path
	Line     int       `json:"ln,omitempty"`
	Sources  []int     `json:"k"`           // places in the first column
	Kernel   int       `json:"c,omitempty"` // one more than the kernel's number; 0 for none
	Stored   bool      `json:"w,omitempty"` // written to memory
	Kept     bool      `json:"kept,omitempty"`
	Output   bool      `json:"out,omitempty"`
	Buffer   string    `json:"b,omitempty"`
	Mistake  int       `json:"e,omitempty"` // one more than its number; 0 for none
	Doubt    bool      `json:"d,omitempty"` // follows from a mistake
}

// Operand is one use of a value.
type Operand struct {
	At   int    `json:"i"`           // -1 for a value of another graph
	Word string `json:"l,omitempty"` // how that one is called
	Axes string `json:"x,omitempty"` // the result's axes, repeated ones in parentheses
}

// Kernel is one kernel, with its figures if sizes are known.
type Kernel struct {
	Name     string   `json:"name"`
	Inner    bool     `json:"inner,omitempty"` // of the body of the loop before it
	Class    string   `json:"class"`
	Domain   string   `json:"domain,omitempty"`
	Values   []int    `json:"values"`
	Reads    []int    `json:"reads"`
	Writes   []int    `json:"writes"`
	Programs []string `json:"programs,omitempty"`
	Moved    int      `json:"moved,omitempty"`   // bytes
	Unfused  int      `json:"unfused,omitempty"` // bytes
	Nanos    float64  `json:"nanos,omitempty"`   // measured time of a run
}

// Memory is the arena over the kernels of a run.
type Memory struct {
	Sizes   string   `json:"sizes,omitempty"` // the named sizes for which it holds
	Arena   int      `json:"arena"`           // bytes
	Kernels int      `json:"kernels"`         // without those of loops' bodies
	Buffers []Buffer `json:"buffers"`
}

// Buffer is the memory of one value, from its first kernel to its last.
type Buffer struct {
	Value   int    `json:"value"` // in the last column
	Name    string `json:"name"`
	Type    string `json:"type"`
	Owner   string `json:"owner"` // arena, input, param or const
	Offset  int    `json:"offset"`
	Bytes   int    `json:"bytes"`
	First   int    `json:"first"`
	Last    int    `json:"last"`
	InPlace int    `json:"inplace"` // the buffer taken over, or -1
}

// Mistake is an error or a warning of the check.
type Mistake struct {
	Code    string `json:"code"`
	Warning bool   `json:"warning,omitempty"`
	Summary string `json:"summary"`
	Text    string `json:"text"` // the whole message
	Pos     string `json:"pos"`
	Value   int    `json:"value"` // in the first column, or -1
}

//go:embed assets/page.css
var styles string

//go:embed assets/model.js
var modelScript string

//go:embed assets/text.js
var textScript string

//go:embed assets/layout.js
var layoutScript string

//go:embed assets/picture.js
var pictureScript string

//go:embed assets/draw.js
var drawScript string

//go:embed assets/panels.js
var panelsScript string

//go:embed assets/main.js
var mainScript string

// Write writes the page. It depends only on the document, so the same document gives the same bytes.
func (d *Document) Write(w io.Writer) error {
	// encoding/json writes <, > and & as escapes: no name can end the script element.
	data, err := json.Marshal(d)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	put := func(parts ...string) {
		for _, s := range parts {
			b.WriteString(s) // Flush gives the first error
		}
	}
	put("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
		"<title>", html.EscapeString(d.Title), " · Broadloom</title>\n<link rel=\"icon\" href=\"data:,\">\n",
		"<style>\n", styles, "</style>\n</head>\n<body>\n<script type=\"application/json\" id=\"document\">")
	b.Write(data)
	put("</script>\n<script>\n\"use strict\";\n(() => {\n",
		modelScript, textScript, layoutScript, pictureScript, drawScript, panelsScript, mainScript,
		"})();\n</script>\n</body>\n</html>\n")
	return b.Flush()
}
