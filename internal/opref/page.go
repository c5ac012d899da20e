package opref

import (
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// libraries are the columns of names.
var libraries = []struct {
	title string
	of    func(n graph.Names) string
}{
	{"NumPy", func(n graph.Names) string { return n.NumPy }},
	{"PyTorch", func(n graph.Names) string { return n.PyTorch }},
	{"JAX", func(n graph.Names) string { return n.JAX }},
	{"ONNX", func(n graph.Names) string { return n.ONNX }},
	{"Gorgonia", func(n graph.Names) string { return n.Gorgonia }},
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
	list = [][2]string{{"shapes", r.Shapes}, {"dtypes", r.DTypes}, {"gradient", r.Gradient}, {"cost", r.Cost}}
	for _, l := range libraries {
		if name := l.of(r.Names); name != "" {
			list = append(list, [2]string{l.title, name})
		}
	}
	return list
}

// Find returns the rows in which every word of a query stands, those whose name is the query first. Where there are none,
// words such as torch.Tensor.masked_fill stand for what is behind their last dot.
func Find(rows []Row, query string) []Row {
	words := strings.Fields(strings.ToLower(query))
	found := having(rows, query, words)
	if len(found) > 0 {
		return found
	}
	for i, w := range words {
		words[i] = w[strings.LastIndexByte(w, '.')+1:]
	}
	return having(rows, query, words)
}

// having returns the rows in which all words stand.
func having(rows []Row, query string, words []string) (found []Row) {
	for _, r := range rows {
		text := strings.ToLower(r.Name + " " + r.Text())
		missing := false
		for _, w := range words {
			missing = missing || !strings.Contains(text, w)
		}
		switch {
		case missing:
		case strings.EqualFold(r.Name, query):
			found = append([]Row{r}, found...)
		default:
			found = append(found, r)
		}
	}
	return found
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
	for _, r := range rows {
		fmt.Fprintf(&b, "## %s\n\n`%s`: %s\n\n", r.Name, r.Call, r.Doc)
		for _, l := range r.lines() {
			fmt.Fprintf(&b, "- %s: %s\n", l[0], l[1])
		}
		b.WriteString("\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
