package difftest

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// cautious are the mistakes that may be reported of a program that has values: they are judged for all sizes at once,
// and before the order of reads and writes is chosen.
var cautious = []graph.Code{graph.CodeOperandOverlap, graph.CodeOrder, graph.CodeWriters, graph.CodeLeaf}

// refused judges an error of a program that has values at the sizes of its runs.
func (c *checker) refused(when string, err error) {
	c.v.Detail = err.Error()
	m := new(graph.Mistake)
	switch {
	case errors.As(err, &m) && m.Code == graph.CodeDType && !isWide(c.p): // not all operations take all dtypes
		c.v.Refused = string(m.Code)
	case errors.As(err, &m) && (slices.Contains(cautious, m.Code) || c.isRight(err.Error())):
		c.v.Refused = string(m.Code)
	case errors.As(err, &m):
		c.v.Fault = when + " " + string(m.Code) + " " + m.Node.Op().Name
	default:
		line := firstLine(err.Error())
		if strings.Contains(line, "BL501") { // tell what asks for it
			_, line, _ = strings.Cut(err.Error(), "required by ")
			line = "BL501 " + firstLine(line)
		}
		c.v.Fault = when + ": " + line
	}
}

// isWide reports whether all dtypes that a program names are among those that nearly all operations take.
func isWide(p *Program) bool {
	return !slices.ContainsFunc(p.Inputs, func(in eager.Input) bool { return !in.T.IsWide() }) &&
		!slices.ContainsFunc(p.Steps, func(s eager.Step) bool { return s.T != "" && !s.T.IsWide() })
}

// The sentences for two sizes, or a number of elements and a shape, of which nothing says that
// they are equal, for two sizes that never are, which do not meet where names are not said to be
// 1, also if one of them is 1 in the runs, and for a value that has one element by chance.
var (
	unequal = regexp.MustCompile(`sizes "?([^"]+?)"? and "?([^"]+?)"? meet.* nothing says that they are equal`)
	letters = regexp.MustCompile(
		`subscript \w is "?([^"]+?)"? in operand \d+ and "?([^"]+?)"? in operand \d+, and nothing says that they are equal`)
	misfit = regexp.MustCompile(`.*: (.+) elements do not fit \[(.*)\]`)
	never  = regexp.MustCompile(`axis -?\d+: (.+) is never (.+)`)
	unlike = regexp.MustCompile(`The expanded size of the tensor \((.+?)\) must match the existing size \((.+)\) at`)
	many   = regexp.MustCompile(`only for scalar outputs, but .* has shape \[(.+)\]`)
)

// isRight reports whether a message is true of the sizes that it names, though a program has
// values at the sizes of its runs: some are equal there by chance, or by what steps require.
func (c *checker) isRight(message string) bool {
	for _, sentence := range []*regexp.Regexp{unequal, letters} {
		if t := sentence.FindStringSubmatch(message); t != nil {
			return slices.Contains(c.compared(t[1], t[2]), false)
		}
	}
	if t := misfit.FindStringSubmatch(message); t != nil && c.p.Policy == "strict" {
		return slices.Contains(c.compared(t[1], axesOf(t[2])...), false)
	}
	if t := many.FindStringSubmatch(message); t != nil {
		return slices.Contains(c.compared("1", axesOf(t[1])...), false)
	}
	for _, sentence := range []*regexp.Regexp{never, unlike} {
		if t := sentence.FindStringSubmatch(message); t != nil && c.p.Policy != "numpy" {
			met := c.compared(t[1], t[2])
			return len(met) > 0 && !slices.Contains(met, true)
		}
	}
	return false
}

// axesOf splits the sizes of a shape at the commas outside of parentheses.
func axesOf(text string) []string {
	depth := 0
	return strings.FieldsFunc(text, func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		return r == ',' && depth == 0
	})
}

// compared tests, for many sizes that the names may have, whether a formula equals the product of others.
func (c *checker) compared(text string, factors ...string) (equal []bool) {
	size, err := graph.ParseDim(text)
	product := graph.Dim(1)
	for _, f := range factors {
		d, errFactor := graph.ParseDim(f)
		product, err = product.Times(d), errors.Join(err, errFactor)
	}
	if err != nil {
		return nil
	}
	noise := rand.New(rand.NewPCG(c.p.Seed, 55))
	for range 100 {
		at := c.otherSizes(noise)
		lookup := func(name string) (int64, bool) { v, known := at[name]; return int64(v), known }
		x, errX := size.Eval(lookup)
		y, errY := product.Eval(lookup)
		if errX == nil && errY == nil {
			equal = append(equal, x == y)
		}
	}
	return equal
}

// otherSizes draws sizes that the names may have.
func (c *checker) otherSizes(noise *rand.Rand) map[string]int {
	p, at := c.p, map[string]int{}
	for _, n := range p.Names {
		at[n.Name] = n.AtLeast + noise.IntN(3+20*noise.IntN(2))
	}
	if p.Equal {
		first, second := p.Names[0], p.Names[1]
		at[first.Name] = max(at[first.Name], second.AtLeast)
		at[second.Name] = at[first.Name]
	}
	return at
}

func isAboutSizes(err error) bool { return strings.Contains(err.Error(), "BL501") }

// stretched is a requirement of sizes to be equal where one of them is 1.
var stretched = regexp.MustCompile(` == .* fails: (1 against \d+|\d+ against 1)\n(.*\n)*.*\((broadcasting|expand)\)`)

// unlikeInner is a requirement that the letters of an equation have equal sizes where a matrix
// product sums over them.
var unlikeInner = regexp.MustCompile(
	` == .* fails: (1 against \d+|\d+ against 1)\n(.*\n)*.*required by Einsum.*\(the inner sizes of a matrix product\)`)

// unread is a requirement of how far indices reach, which also stands where sizes leave none of them: there PyTorch
// asks nothing.
var unread = regexp.MustCompile(
	`\((a scatter must not reach beyond its operands|gather must not read beyond its operand)\)`)

// mayRefuse reports whether a run may refuse sizes at which the program has values: an axis is
// rolled by its size at most, sizes that happen to be 1 do not stretch unless names may, and never
// where products are summed over them, and no index is longer than what it reaches.
func (c *checker) mayRefuse(err error) bool {
	text := err.Error()
	return isAboutSizes(err) &&
		(strings.Contains(text, " in Roll ") || unread.MatchString(text) || unlikeInner.MatchString(text) ||
			c.p.Policy != "numpy" && stretched.MatchString(text))
}
