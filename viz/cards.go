package viz

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// cardBox makes the box of folded scopes.
func (c *composer) cardBox(u *unit) *box {
	b := &box{look: u.look(), shape: shapeCard, heavy: true}
	b.title = []span{{text: shorten(cardName(u), longName), style: styleStrong}}
	each := ""
	if n := len(u.scopes); n > 1 {
		b.shape = shapeStack
		b.title[0].text += "  "
		b.title = append(b.title, span{text: "×" + strconv.Itoa(n), style: styleName, of: b.look})
		each = " each"
	}
	add := func(text string) {
		if text != "" {
			b.lines = append(b.lines, line{sizeType, []span{{text: text, style: styleType}}})
		}
	}
	add(cardContents(u))
	if c.o.detail&Types != 0 {
		add(cardTypes(u))
	}
	counts := fmt.Sprintf("%s%s", plural(len(u.values)/len(u.scopes), "node"), each)
	if n := cardParams(u); n != "" {
		if each != "" {
			n += " in all"
		}
		counts = n + " · " + counts
	}
	add(counts)
	if k := u.kernel(); k != nil && len(u.scopes) == 1 && !c.told[k] {
		for _, text := range k.lines { // once, where several parts of the program have a card
			add(text)
		}
		c.told[k] = true
	}
	add(c.cardReads(u))
	if outs := u.outputs(); len(outs) > len(u.terminals()) {
		var names []string
		for _, v := range outs {
			if n := baseName(v); !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
		add("gives " + shortList(names, 5, ", "))
	}
	b.tooltip = u.scopes
	for _, v := range u.values {
		if v.fault != nil { // a mistake must not hide inside a card
			b.look = lookWrong
			b.lines = append(b.lines,
				line{sizeType, []span{{text: shorten(v.op+": "+v.fault.summary, 2*wideNote), style: styleBad}}},
				line{sizeType, []span{{text: v.fault.pos, style: styleFaint}}})
		}
	}
	return b
}

// kernel returns the kernel that a card stands for, nil for other cards.
func (u *unit) kernel() *kernelText {
	if !u.isCard() {
		return nil
	}
	for _, v := range u.values { // the first ones may be views that the kernel reads
		if v.kernel != nil && v.kernel.name == u.scopes[0] {
			return v.kernel
		}
	}
	return nil
}

// look is that of a card.
func (u *unit) look() look {
	if u.kernel() != nil {
		return lookKernel
	}
	return lookCard
}

// cardReads names the operands of a card that have no edge: those of its own part first, since what it reads besides is
// most often what it belongs to.
func (c *composer) cardReads(u *unit) string {
	var own, others []string
	joined := map[*unit]bool{}   // other values of the same card may have an edge
	written := map[*value]bool{} // these are told apart
	for _, l := range u.in {
		joined[l.from] = joined[l.from] || !l.chip
		written[l.via.from] = written[l.via.from] || l.via.writes
	}
	for _, l := range u.in {
		if joined[l.from] || written[l.via.from] {
			continue
		}
		word, list := "", &others
		if l.from.part == u.part {
			list = &own
		}
		if l.from.isCard() {
			word = cardName(l.from)
		} else {
			word = chipWord(l.via.from, u.scope)
		}
		if !slices.Contains(*list, word) {
			*list = append(*list, word)
		}
	}
	if len(own)+len(others) == 0 {
		return ""
	}
	return "reads " + shortList(append(own, others...), 4, ", ")
}

// cardName returns "block", or "block0 … 11" for a stack.
func cardName(u *unit) string {
	names := make([]string, len(u.scopes))
	for i, s := range u.scopes {
		names[i] = lastName(s)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) // block2 before block11
	})
	first, last := names[0], names[len(names)-1]
	if len(names) == 1 {
		return first
	}
	if n, numbered := strings.CutPrefix(last, first+" "); numbered && strings.Trim(n, "0123456789") == "" {
		return first // calls of one function, which callNames has numbered
	}
	stem := strings.TrimRight(first, "0123456789")
	if rest, same := strings.CutPrefix(last, stem); same && stem != first && rest != "" &&
		strings.Trim(rest, "0123456789") == "" {
		last = rest
	}
	return first + " … " + last
}

// cardContents tells what a scope is made of: its inner scopes in their order, or else
// its most frequent operations.
func cardContents(u *unit) string {
	var inner []string
	counts := map[string]int{}
	var words []string
	for _, v := range u.values {
		scope, _ := outerScope(v.scope, scopeDepth(u.scopes[0]))
		if rest, within := strings.CutPrefix(v.scope, scope+graph.ScopeSeparator); within {
			name, _, _ := strings.Cut(rest, graph.ScopeSeparator)
			if !slices.Contains(inner, name) {
				inner = append(inner, name)
			}
		}
		if !v.role.isSource() {
			if counts[v.op]++; counts[v.op] == 1 {
				words = append(words, v.op)
			}
		}
	}
	if len(inner) > 0 && u.kernel() != nil {
		return plural(len(inner), "kernel") + " inside"
	}
	if len(inner) > 0 {
		return shortList(inner, 4, " → ")
	}
	if n := updated(u); n > 0 && u.part == update {
		return "updates " + plural(n, "parameter")
	}
	slices.SortStableFunc(words, func(a, b string) int { return counts[b] - counts[a] })
	for i, w := range words {
		if n := counts[w] / len(u.scopes); n > 1 {
			words[i] = strconv.Itoa(n) + " " + w
		}
	}
	return shortList(words, 4, ", ")
}

func shortList(words []string, most int, sep string) string {
	if len(words) > most {
		words = append(slices.Clone(words[:most]), "…")
	}
	return shorten(strings.Join(words, sep), wideNote)
}

// cardTypes returns the types of the values that others read from a card.
func cardTypes(u *unit) string {
	var types []string
	for _, v := range u.values {
		if t := plainType(v).String(); v.leaves && !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	return shortList(types, 2, " ")
}

// cardParams counts the elements of a card's parameters; it is "" if there are none, or if they cannot be counted since
// sizes have names.
func cardParams(u *unit) string {
	total, none := new(big.Int), true
	for _, v := range u.values {
		if v.role != roleParam {
			continue
		}
		none = false
		count := big.NewInt(1)
		for _, a := range v.typ.axes {
			n, err := strconv.ParseInt(a.size, 10, 64)
			if err != nil {
				return ""
			}
			count.Mul(count, big.NewInt(n))
		}
		total.Add(total, count)
	}
	if none {
		return ""
	}
	f, _ := new(big.Float).SetInt(total).Float64()
	if u.part == update {
		return shortNumber(f) + " numbers of state"
	}
	return shortNumber(f) + " parameters"
}

// shortNumber returns a count in three digits or so: 37.8 M.
func shortNumber(n float64) string {
	for _, unit := range []struct {
		from float64
		name string
	}{{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e4, " k"}} {
		if n >= unit.from {
			f := n / unit.from
			if unit.from == 1e4 {
				f *= 10
			}
			return strconv.FormatFloat(f, 'f', digitsAfter(f), 64) + unit.name
		}
	}
	return strconv.FormatFloat(n, 'f', 0, 64)
}

func digitsAfter(f float64) int {
	if f < 100 {
		return 1
	}
	return 0
}

func plural(n int, word string) string {
	s := groupDigits(n) + " " + word
	if n != 1 {
		s += "s"
	}
	return s
}

// groupDigits writes 1063 as "1,063".
func groupDigits(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
