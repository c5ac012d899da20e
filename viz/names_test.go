package viz_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/awalterschulze/gographviz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/viz"
)

// hostile are pieces of which names are made that languages of pictures trip over.
var hostile = []string{
	`"`, `'`, "`", `\`, `\N`, `\n`, `\l`, `\\`, "<", ">", "</td>", "<b>", "<br/>", "&", "&amp;", "&#65;", "&nosuch;",
	"[", "]", "{", "}", "|",
	"(", ")", ";", ":", ",", "=", "->", "--", "#", "%", "%s", "$", "@", "!", "?", "*", "/", "//", "/*", "*/", "~", "^",
	".", "..", "-", "+",
	"node", "edge", "graph", "digraph", "subgraph", "strict", "label", "Node", "1", "1.2.3", "-0.5", "_", " ", "  ",
	"a", "Z", "w1",
	"\t", "\n", "\r", "\x00", "\x01", "\x1b[31m", "\x7f", "\u0085", "\u00a0", "\u200b", "\u2028", "\ufeff", "\ufffd",
	"\ufffe", "\uffff",
	"é", "ß", "Σ", "∂", "→", "−", "日本", "עברית", "😀", "👩‍🔬", "𝔸", "e\u0301", "\u202e", "\u2066", "]]>", "<!--", "-->",
	"<script>", "javascript:", "\xff", "\xc3\x28",
}

func hostileName(r *rand.Rand) string {
	var b strings.Builder
	for n := 1 + r.IntN(6); n > 0; n-- {
		b.WriteString(hostile[r.IntN(len(hostile))])
	}
	return b.String()
}

// TestHostileNamesSurvive draws graphs of inputs with 2,000 hostile names, and finds
// every name in the SVG that dot makes.
func TestHostileNamesSurvive(t *testing.T) {
	const count, perGraph = 2000, 100
	r := rand.New(rand.NewPCG(1, 2))
	for first := 0; first < count; first += perGraph {
		g := graph.New(hostileName(r))
		var names []string
		var total *graph.Node
		for i := range perGraph {
			name := fmt.Sprintf("%s%d", hostileName(r), first+i)
			names = append(names, name)
			g.Scope(hostileName(r), func() {
				x := g.Input(name, graph.Float32, 2).Named(name)
				y := ops.Neg(x).Named(hostileName(r))
				if total == nil {
					total = y
				} else {
					total = ops.Add(total, y)
				}
			})
		}
		require.NoError(t, g.Err())
		dot := dotOf(t, viz.Graph(g), viz.Limit(0))
		_, err := gographviz.Parse(dot)
		require.NoError(t, err)
		if testing.Short() && first > 0 {
			continue
		}
		texts := svgTexts(t, runDot(t, dot, "svg"))
		for _, name := range names {
			assert.Contains(t, texts, visible(name), "%q is lost", name)
		}
	}
}

// visible is what a picture shows of a name: control characters as squares, and white
// space as SVG joins it.
func visible(name string) string {
	var b strings.Builder
	for i, c := range []rune(name) {
		switch {
		case i == 40:
			b.WriteRune('…')
			return squeeze(b.String())
		case c < ' ' || c >= 0x7f && c < 0xa0 || c >= 0xfffe || c == '\u202e' || c == '\u2066':
			c = '□'
		}
		b.WriteRune(c)
	}
	return squeeze(b.String())
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// svgTexts returns the texts of an SVG file, which must be well formed.
func svgTexts(t *testing.T, svg []byte) map[string]bool {
	t.Helper()
	texts := map[string]bool{}
	d := xml.NewDecoder(strings.NewReader(string(svg)))
	var text *strings.Builder
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		require.NoError(t, err)
		switch x := token.(type) {
		case xml.StartElement:
			if x.Name.Local == "text" {
				text = &strings.Builder{}
			}
		case xml.CharData:
			if text != nil {
				text.Write(x)
			}
		case xml.EndElement:
			if x.Name.Local == "text" {
				texts[squeeze(text.String())] = true
				text = nil
			}
		}
	}
}
