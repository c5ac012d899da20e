package main

import (
	"fmt"
	"io"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// terminal writes text with escapes in place of what a terminal would obey, such as the escape character: names come
// from files that others have made.
type terminal struct {
	to   io.Writer
	rest []byte // the beginning of a character that is not complete yet
}

// Write writes text. It reports all of p as written, or none.
func (t *terminal) Write(p []byte) (int, error) {
	text := append(t.rest, p...)
	var shown []byte
	for len(text) > 0 && utf8.FullRune(text) {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			shown = fmt.Appendf(shown, `\x%02x`, text[0])
		case r == '\n' || r == '\t' || !isObeyed(r):
			shown = append(shown, text[:size]...)
		case r < ' ':
			shown = fmt.Appendf(shown, `\x%02x`, r)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				shown = fmt.Appendf(shown, `\u%04x`, unit) // as JSON has it, too
			}
		}
		text = text[size:]
	}
	t.rest = append([]byte(nil), text...)
	if _, err := t.to.Write(shown); err != nil {
		return 0, err
	}
	return len(p), nil
}

// isObeyed reports whether a character changes how a terminal shows others: control characters, and those of format,
// such as the ones that turn the direction of text.
func isObeyed(r rune) bool { return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) }

// nameText is a name of a file's content in a table: quoted if it has characters that are not shown.
func nameText(name string) string {
	if quoted := strconv.Quote(name); quoted[1:len(quoted)-1] != name {
		return quoted
	}
	return name
}
