package models

import "strings"

// Directive is the mark of a model.
const Directive = "//broadloom:model"

// isMark reports whether a comment is the mark of a model.
func isMark(comment string) bool { return strings.TrimSpace(comment) == Directive }

// IsMark reports whether a comment is the mark of a model, or was meant as one.
func IsMark(comment string) bool { return isMark(comment) || isNearlyMark(comment) }

// maxTypos bounds the letters by which a comment may differ from the mark to be taken for one.
const maxTypos = 2

// isNearlyMark reports whether a comment was meant as a mark, and is none: it has a space, a wrong
// letter or further words.
func isNearlyMark(comment string) bool {
	words := strings.Fields(strings.TrimPrefix(comment, "//"))
	if isMark(comment) || !strings.HasPrefix(comment, "//") || len(words) == 0 || len(words) > 2 || !strings.ContainsAny(comment, ":") {
		return false
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
