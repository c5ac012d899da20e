package viz

import (
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// addChips prints the operands that have no edge inside the box: those before the first
// edge in front of the operation, the others behind it, so that a - b reads in its order.
func (c *composer) addChips(b *box, u *unit) {
	v := u.first()
	edges := make([]bool, len(v.in))
	first := len(v.in)
	for _, l := range u.in {
		if !l.chip {
			edges[l.index] = true
			first = min(first, l.index)
		}
	}
	links := map[int]link{}
	for _, l := range u.in {
		links[l.index] = l
	}
	left := 0
	for i := range v.in {
		if edges[i] || i == 0 && v.role == roleUpdate {
			continue // an update's title tells what it writes
		}
		if len(b.before)+len(b.after) == maxChips {
			left++
			continue
		}
		ch := c.chip(v, &v.in[i], links[i])
		if i < first && first < len(v.in) {
			b.before = append(b.before, ch)
		} else {
			b.after = append(b.after, ch)
		}
	}
	if left > 0 {
		b.after = append(b.after, chip{lookPlain, []span{{text: "+" + strconv.Itoa(left), style: styleText}}})
	}
}

// chip shows operand x of v inside v's box.
func (c *composer) chip(v *value, x *operand, l link) chip {
	switch {
	case x.from == nil:
		return chip{lookConst, []span{{text: shorten(x.word, longChip), style: styleText}}}
	case x.from.absorbed:
		ch := chip{lookConst, []span{{text: shorten(x.from.inline, longChip), style: styleText}}}
		return ch // that a number meets all axes goes without saying
	}
	ch := chip{look: x.from.look()}
	word := chipWord(x.from, v.scope)
	if x.from.output && x.from.part == forward {
		ch.look = lookOutput
	}
	if l.from != nil && l.from.isCard() {
		word = cardName(l.from)
		ch.look = l.from.look()
	}
	if x.as != "" {
		word += " " + x.as
	}
	ch.spans = []span{{text: shorten(word, longChip), style: styleText}}
	if x.axes != nil {
		ch.spans[0].text += " "
		ch.spans = append(ch.spans, axesSpans(x.axes, styleBeside)...)
		c.d.uses.axes(x.axes)
	}
	return ch
}

// chipWord names a value from within a scope: values of other scopes have theirs in
// front, but for those of a loop's body, which only the loop itself reads from outside.
func chipWord(v *value, scope string) string {
	if v.name == "" || v.body != "" && lastName(v.scope) == v.body || v.scope == scope || v.scope == "" ||
		hasPrefix(scope, v.scope) {
		return baseName(v)
	}
	return lastName(v.scope) + graph.ScopeSeparator + v.name
}

// hasPrefix reports whether scope lies within outer.
func hasPrefix(scope, outer string) bool {
	return outer == "" || strings.HasPrefix(scope, outer+graph.ScopeSeparator)
}

// typeSpans prints a type with its marks.
func typeSpans(t typeText) []span {
	spans := axesSpans(t.axes, styleType)
	spans[0].text = t.dtype + spans[0].text
	return spans
}

// axesSpans prints "[32,128]"; rest is the style of what is not marked. Neighbours of
// one style are one span.
func axesSpans(axes []axis, rest style) []span {
	spans := []span{{text: "[", style: rest}}
	add := func(text string, s style) {
		if last := &spans[len(spans)-1]; last.style == s {
			last.text += text
		} else {
			spans = append(spans, span{text: text, style: s})
		}
	}
	for i, a := range axes {
		if i > 0 {
			add(",", rest)
		}
		add(a.size, markStyle(a.mark, rest))
		if a.to != "" {
			add("→"+a.to, rest)
		}
	}
	add("]", rest)
	return spans
}

func markStyle(m mark, rest style) style {
	switch m {
	case markStretched:
		return styleStretch
	case markUndecided:
		return styleMaybe
	case markSummed:
		return styleSummed
	case markBad:
		return styleBad
	}
	return rest
}
