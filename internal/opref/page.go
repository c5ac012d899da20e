package opref

import (
	"fmt"
	"slices"
	"strings"
)

// libraries are the names that the row has elsewhere, each with the title of the library.
func (r Row) libraries() (list [][2]string) {
	n := r.Names
	for _, l := range append([][2]string{{"NumPy", n.NumPy}, {"PyTorch", n.PyTorch}, {"JAX", n.JAX}, {"ONNX", n.ONNX}, {"Gorgonia", n.Gorgonia}}, r.Others...) {
		if l[1] != "" {
			list = append(list, l)
		}
	}
	return list
}

// Text writes the row for a terminal.
func (r Row) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", r.Call, r.Doc)
	for _, l := range r.lines() {
		fmt.Fprintf(&b, "    %-9s %s\n", l[0], l[1])
	}
	return b.String()
}

// lines are what is told of the row, each with its title.
func (r Row) lines() (list [][2]string) {
	if r.Shapes != "" {
		list = append(list, [2]string{"shapes", r.Shapes})
	}
	if r.DTypes != "" {
		list = append(list, [][2]string{{"dtypes", r.DTypes}, {"gradient", r.Gradient}, {"cost", r.Cost}}...)
	}
	return slices.Concat(list, r.Facts, r.libraries())
}

// Page writes all rows as a page of Markdown.
func Page(rows []Row) string {
	var b strings.Builder
	b.WriteString(`# Operations

Generated from the entries of package ops: ` + "`go generate ./internal/opref`" + ` writes this page, and
` + "`broadloom ops [query]`" + ` prints the same.

Every call below is an example that was built. Named sizes such as n are any size. Operands broadcast unless the text says otherwise.
"dtypes" lists what the operands may be that have no dtype in "shapes", and behind an arrow what the first result is where it is another. "cost" counts the primitives of all elements.
Elementwise operations have a twin with ` + "`InPlace`" + ` behind the name, by ` + "`ops.InPlace`" + `.

`)
	writeRows(&b, rows)
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// writeRows writes rows as sections of a page.
func writeRows(b *strings.Builder, rows []Row) {
	for _, r := range rows {
		fmt.Fprintf(b, "## %s\n\n`%s`: %s\n\n", r.Name, r.Call, r.Doc)
		for _, l := range r.lines() {
			fmt.Fprintf(b, "- %s: %s\n", l[0], l[1])
		}
		b.WriteString("\n")
	}
}

// LayerPage writes the rows of layers, initialisers, optimisers and schedules as a page of Markdown.
func LayerPage(rows []Row) string {
	var b strings.Builder
	b.WriteString(`# Layers, first values, optimisers and schedules

Generated from the tables of package internal/opref: ` + "`go generate ./internal/opref`" + ` writes this page, and
` + "`broadloom ops [query]`" + ` prints the same.

Every call below is an example that is built and run: g is a graph, p a pass, which nn.Training or nn.Evaluation begins, and x, y and z are operands
with the shapes that stand under it. "parameters" are those that the call declares, "state" is what it keeps between steps beside them, and "calls" lists the
functions of package ops that it is made of. Layers of a function alone, such as activations, are nn.Func(ops.Relu).

`)
	writeRows(&b, rows)
	return strings.TrimRight(b.String(), "\n") + "\n"
}
