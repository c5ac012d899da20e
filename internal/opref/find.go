package opref

import (
	"slices"
	"strings"
	"unicode"
)

// Find returns the rows that a query means. A name, such as torch.bmm or numpy.fft.rfft, is looked up with [Lookup].
// For other words, it returns the rows that contain all of them, those whose name is the query first, or else those
// with the last parts of the words as whole words.
func Find(rows []Row, query string) []Row {
	words := strings.Fields(strings.ToLower(query))
	var found []Row
	if len(words) == 1 {
		if found = Lookup(rows, strings.TrimSpace(query)); len(found) > 0 && strings.Contains(query, ".") {
			return found
		}
	}
	found = withOthers(found, having(rows, words, strings.Contains))
	if len(found) > 0 {
		return found
	}
	for i, w := range words {
		words[i] = lastPart(w)
	}
	return having(rows, words, hasWord)
}

// withOthers appends rows that are not in the list yet.
func withOthers(found, others []Row) []Row {
	for _, r := range others {
		if !slices.ContainsFunc(found, func(f Row) bool { return f.Call == r.Call && f.Name == r.Name }) {
			found = append(found, r)
		}
	}
	return found
}

// hasWord reports whether a text has a whole word: torch.foo.bar is not Barrier.
func hasWord(text, word string) bool {
	return slices.Contains(strings.FieldsFunc(text, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), word)
}

// having returns the rows whose text has all words.
func having(rows []Row, words []string, has func(text, word string) bool) (found []Row) {
	for _, r := range rows {
		text := strings.ToLower(r.Name + " " + r.Text())
		missing := false
		for _, w := range words {
			missing = missing || !has(text, w)
		}
		if !missing {
			found = append(found, r)
		}
	}
	return found
}

// Lookup returns the rows that have exactly a name. If there are none, it returns rows that have it in another module,
// since torch.Tensor.exp and keras.ops.exp are torch.exp; or else rows that have it spelled as a class, since
// torch.nn.ReLU is torch.nn.functional.relu.
func Lookup(rows []Row, name string) []Row {
	if found := named(rows, name); len(found) > 0 {
		return found
	}
	return alike(rows, name)
}

// named returns the rows that have exactly a name.
func named(rows []Row, name string) []Row {
	return which(rows, func(n string) bool { return n == name })
}

// shortest is the least length of a name that is unambiguous: torch.t is not jax.random.t.
const shortest = 2

// alike returns the rows that have a name in another module, or spelled as a class.
func alike(rows []Row, name string) []Row {
	last := lastPart(name)
	if len(last) < shortest {
		library, _, _ := strings.Cut(name, ".")
		return which(rows, func(n string) bool { return lastPart(n) == last && strings.HasPrefix(n, library+".") })
	}
	if found := which(rows, func(n string) bool { return lastPart(n) == last }); len(found) > 0 {
		return found
	}
	plain := spelled(last)
	return which(rows, func(n string) bool { return spelled(lastPart(n)) == plain })
}

// which returns the rows with a name that holds accepts, those with it as their own name first.
func which(rows []Row, holds func(name string) bool) (found []Row) {
	for _, r := range rows {
		if holds(r.Name) {
			found = append(found, r)
		}
	}
	for _, r := range rows {
		if !holds(r.Name) && slices.ContainsFunc(r.elsewhere, holds) {
			found = append(found, r)
		}
	}
	return found
}

// split returns the row with the names in libraries one by one.
func (r Row) split() Row {
	for _, l := range r.libraries() {
		r.elsewhere = append(r.elsewhere, strings.Split(l[1], ", ")...)
	}
	return r
}

// lastPart is the part of a name after its last dot.
func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// spelled is a name without the differences between the spellings of classes and functions: capitals, underscores, and
// the word loss.
func spelled(name string) string {
	name = strings.ReplaceAll(strings.ToLower(name), "_", "")
	return strings.TrimSuffix(name, "loss")
}
