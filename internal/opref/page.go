package opref

import (
	"fmt"
	"slices"
	"strings"
)

// libraries are the row's names in other libraries, each with the title of the library.
func (r Row) libraries() (list [][2]string) {
	n := r.Names
	for _, l := range append(
		[][2]string{{"NumPy", n.NumPy}, {"PyTorch", n.PyTorch}, {"JAX", n.JAX}, {"ONNX", n.ONNX},
			{"Gorgonia", n.Gorgonia}}, r.Others...) {
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

// lines are the facts of the row, each with its title.
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

Every call below is an example that was built. Named sizes such as n represent any size. Operands broadcast unless noted otherwise.
"dtypes" lists the allowed dtypes of operands that have no dtype in "shapes" and, after an arrow, the dtype of the first result if it is different. "cost" counts the primitives of all elements.
Elementwise operations have an in-place twin, with ` + "`InPlace`" + ` after the name, from ` + "`ops.InPlace`" + `.

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

Every call below is an example that is built and run: g is a graph, p is a pass from nn.Training or nn.Evaluation, and x, y and z are operands
with the shapes listed below it. "parameters" are those that the call declares, "state" is anything else that it keeps between steps, and "calls" lists
the functions of package ops that it uses. Layers that are just a function, such as activations, are written nn.Func(ops.Relu).

`)
	writeRows(&b, rows)
	return strings.TrimRight(b.String(), "\n") + "\n"
}
