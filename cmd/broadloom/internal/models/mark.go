package models

import "strings"

// Directive is the mark of a model.
const Directive = "//broadloom:model"

// cutMark returns the text after the mark of a model, usually nothing, if a comment is one.
func cutMark(comment string) (call string, ok bool) {
	behind, ok := strings.CutPrefix(comment, Directive)
	call = strings.TrimSpace(behind)
	return call, ok && (call == "" || strings.ContainsAny(behind[:1], " \t"))
}

// isMark reports whether a comment is the mark of a model.
func isMark(comment string) bool {
	_, ok := cutMark(comment)
	return ok
}

// IsMark reports whether a comment is the mark of a model, or was meant as one.
func IsMark(comment string) bool { return isMark(comment) || isNearlyMark(comment) }

// maxTypos is the most letters by which a comment may differ from the mark to count as a misspelled one.
const maxTypos = 2

// isNearlyMark reports whether a comment was meant as a mark, but has a space or a wrong letter.
func isNearlyMark(comment string) bool {
	words := strings.Fields(strings.TrimPrefix(comment, "//"))
	if isMark(comment) || !strings.HasPrefix(comment, "//") || len(words) == 0 ||
		!strings.ContainsAny(words[0]+words[min(1, len(words)-1)], ":") {
		return false
	}
	if len(words) > 2 {
		if _, err := parseCall(strings.Join(words[1:], " ")); err != nil {
			return false // a sentence
		}
		words = words[:1]
	}
	mark := strings.TrimPrefix(Directive, "//")
	text := strings.ToLower(strings.Join(words, ""))
	return typos(text, mark) <= maxTypos || strings.HasPrefix(text, mark)
}

// typos returns the letters to change, to add or to leave out that make one word of another.
func typos(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
