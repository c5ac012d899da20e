package viz

import (
	"html"
	"regexp"
	"strings"
)

// titles returns what the parts of a picture are called aloud, by their names in Graphviz's language. Screen readers
// read the titles that SVG has, and browsers show them.
func (d *drawing) titles() map[string]string {
	var whole []string
	for _, s := range d.title {
		whole = append(whole, strings.TrimSpace(s.text))
	}
	picture := strings.Join(whole, ", ")
	t := map[string]string{"broadloom": picture, "cluster_all": picture}
	d.root.addTitles(t)
	for _, e := range d.edges {
		if e.bead != nil {
			t[e.beadID] = "broadcast"
		}
	}
	return t
}

func (c *cluster) addTitles(t map[string]string) {
	for _, b := range c.boxes {
		t[b.id] = strings.Join(b.tooltip, "\n")
		if b.shape == shapeCaption && c.label == "" {
			var words []string
			for _, l := range b.lines {
				words = append(words, spanText(l.spans))
			}
			t["cluster_"+c.id] = strings.Join(words, ", ")
		}
	}
	for _, in := range c.inner {
		if in.label != "" {
			t["cluster_"+in.id] = in.label
		}
		in.addTitles(t)
	}
}

func spanText(spans []span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.text)
	}
	return b.String()
}

// spoken returns the title of a part: that of an edge has those of its ends.
func spoken(name string, titles map[string]string) (title string, known bool) {
	if title, known = titles[name]; known {
		return title, true
	}
	from, to, isEdge := strings.Cut(name, "->")
	a, knowsFrom := titles[from]
	b, knowsTo := titles[to]
	if !isEdge || !knowsFrom || !knowsTo {
		return "", false
	}
	return firstWord(a) + " to " + firstWord(b), true
}

// firstWord returns "w" of "w = matmul x y\nf32[3]".
func firstWord(title string) string {
	title, _, _ = strings.Cut(title, "\n")
	title, _, _ = strings.Cut(title, " = ")
	return title
}

var titleTag = regexp.MustCompile(`<title>([^<]*)</title>`)

// withTitles replaces names in an SVG by titles.
func withTitles(svg []byte, titles map[string]string) []byte {
	return titleTag.ReplaceAllFunc(svg, func(tag []byte) []byte {
		name := html.UnescapeString(string(titleTag.FindSubmatch(tag)[1]))
		title, known := spoken(name, titles)
		if !known {
			return tag
		}
		return []byte("<title>" + escaped(title) + "</title>")
	})
}
