package viz

import "strconv"

// appendText appends text from outside to an HTML-like label. Letters, digits and a few
// signs pass; everything else becomes a numeric reference, since
//   - gographviz refuses runes above U+00FF between < and >;
//   - graphviz expands \N, \G and the like even behind a reference, hence two of them;
//   - graphviz 2.43 writes invalid UTF-8 for references above U+FFFF;
//   - graphviz 2.43 misplaces a chunk of text that is a lone "]" before a tag.
func appendText(b []byte, s string) []byte { return appendQuoted(b, s, `&#92;&#92;`) }

// appendTooltip is appendText for tooltips, in which graphviz expands a backslash once
// more: a reverse solidus operator stands for it.
func appendTooltip(b []byte, s string) []byte { return appendQuoted(b, s, `&#10741;`) }

func appendQuoted(b []byte, s, backslash string) []byte {
	for _, r := range s {
		switch {
		case passes(r):
			b = append(b, byte(r))
		case r == '\\':
			b = append(b, backslash...)
		case r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0xfffe || turns(r):
			b = append(b, `&#9633;`...) // control characters and what graphviz cannot write
		default:
			b = append(b, '&', '#')
			b = strconv.AppendInt(b, int64(r), 10)
			b = append(b, ';')
		}
	}
	return b
}

// turns reports whether a character turns the direction of the text behind it, so that a name would read otherwise than
// it is written.
func turns(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

func passes(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return true
	}
	switch r {
	case ' ', '_', '.', ',', ':', ';', '(', ')', '=', '+', '*', '/', '-':
		return true
	}
	return false
}

// tooltip makes the value of a tooltip attribute of several lines.
func tooltip(lines []string) string {
	b := []byte{'"'}
	for i, l := range lines {
		if i > 0 {
			b = append(b, `\n`...)
		}
		b = appendTooltip(b, l)
	}
	return string(append(b, '"'))
}

// shorten cuts a long word for a box; its tooltip has the whole.
func shorten(s string, most int) string {
	runes := 0
	for i := range s {
		if runes == most {
			return s[:i] + "…"
		}
		runes++
	}
	return s
}
