package opref

import (
	_ "embed"
	"path"
	"strings"
	"sync"
)

//go:embed answers.txt
var answerTable string

// answer is the answer for names that no operation and no layer has: why not, and what to use instead.
type answer struct{ pattern, text string }

// answers reads the table: "names: sentence". A name may be a pattern of [path.Match].
var answers = sync.OnceValue(func() (list []answer) {
	for line := range strings.Lines(answerTable) {
		line = strings.TrimSpace(line)
		names, text, is := strings.Cut(line, ": ")
		if !is || strings.HasPrefix(line, "#") {
			continue
		}
		for _, name := range strings.Fields(names) {
			list = append(list, answer{name, text})
		}
	}
	return list
})

// Answer says why there is no operation of a name, and what to use instead; "" if there is no answer. A sentence for
// the exact name takes precedence over one for a pattern.
func Answer(name string) string {
	for _, exact := range []bool{true, false} {
		if text := answerTo(name, exact); text != "" {
			return text
		}
	}
	return ""
}

// answerTo is the first sentence for a name, or for a pattern that it matches.
func answerTo(name string, exact bool) string {
	for _, a := range answers() {
		if is, _ := path.Match(a.pattern, name); is && (a.pattern == name) == exact {
			return a.text
		}
	}
	return ""
}

// Kind is how a name of another library is found.
type Kind string

// The kinds, from the best to the worst.
const (
	ByName   Kind = "by its name" // a row has the name as it is written
	Answered Kind = "answered"    // a sentence says what there is instead
	Alike    Kind = "alike"       // a row has it below another module or spelled otherwise
	Missing  Kind = "missing"
)

// Known says how a name is found, and returns the rows or the sentence. A sentence for the exact name takes precedence
// over rows that have it in another module, and those over a sentence for a pattern.
func Known(rows []Row, name string) (k Kind, found []Row, sentence string) {
	if found = named(rows, name); len(found) > 0 {
		return ByName, found, ""
	}
	if sentence = answerTo(name, true); sentence != "" {
		return Answered, nil, sentence
	}
	if found = alike(rows, name); len(found) > 0 {
		return Alike, found, ""
	}
	if sentence = answerTo(name, false); sentence != "" {
		return Answered, nil, sentence
	}
	return Missing, nil, ""
}
