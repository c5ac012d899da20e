package opref

import (
	"slices"
	"strings"
)

// Find returns the rows that a query means. A name, such as torch.bmm or numpy.fft.rfft, is looked up with [Lookup]. Of other
// words, the rows in which all of them stand, those whose name is the query first.
func Find(rows []Row, query string) []Row {
	words := strings.Fields(strings.ToLower(query))
	var found []Row
	if len(words) == 1 {
		if found = Lookup(rows, strings.TrimSpace(query)); len(found) > 0 && strings.Contains(query, ".") {
			return found
		}
	}
	found = withOthers(found, having(rows, words))
	if len(found) > 0 {
		return found
	}
	for i, w := range words {
		words[i] = lastPart(w)
	}
	return having(rows, words)
}

// withOthers appends rows that are not there yet.
func withOthers(found, others []Row) []Row {
	for _, r := range others {
		if !slices.ContainsFunc(found, func(f Row) bool { return f.Call == r.Call && f.Name == r.Name }) {
			found = append(found, r)
		}
	}
	return found
}

// having returns the rows in which all words stand.
func having(rows []Row, words []string) (found []Row) {
	for _, r := range rows {
		text := strings.ToLower(r.Name + " " + r.Text())
		missing := false
		for _, w := range words {
			missing = missing || !strings.Contains(text, w)
		}
		if !missing {
			found = append(found, r)
		}
	}
	return found
}

// Lookup returns the rows that have a name: as it is written; or else such as have it below another module, since
// torch.Tensor.exp and keras.ops.exp are torch.exp; or else such as have it spelled for a class, since torch.nn.ReLU is
// torch.nn.functional.relu.
func Lookup(rows []Row, name string) []Row {
	if found := named(rows, name); len(found) > 0 {
		return found
	}
	return alike(rows, name)
}

// named returns the rows that have a name as it is written.
func named(rows []Row, name string) []Row {
	return which(rows, func(n string) bool { return n == name })
}

// shortest is the length of a name that says enough by itself: torch.t is not jax.random.t.
const shortest = 2

// alike returns the rows that have a name below another module, or spelled for a class.
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

// which returns the rows with a name of which something holds, those whose own name it is first.
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

// split notes the names that the row has in libraries one by one.
func (r Row) split() Row {
	for _, l := range r.libraries() {
		r.elsewhere = append(r.elsewhere, strings.Split(l[1], ", ")...)
	}
	return r
}

// lastPart is what stands behind a name's last dot.
func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// spelled is a name without what classes and functions are spelled differently by: capitals, underscores, and the word loss.
func spelled(name string) string {
	name = strings.ReplaceAll(strings.ToLower(name), "_", "")
	return strings.TrimSuffix(name, "loss")
}
