package difftest

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// cautious are the mistakes that may be reported of a program that has values: they are judged
// for all sizes at once, and before the order of reads and writes is chosen.
var cautious = []graph.Code{graph.CodeOperandOverlap, graph.CodeOrder, graph.CodeWriters, graph.CodeLeaf}

// refused judges an error of a program that has values at the sizes of its runs.
func (c *checker) refused(when string, err error) {
	c.v.Detail = err.Error()
	m := new(graph.Mistake)
	switch {
	case errors.As(err, &m) && (slices.Contains(cautious, m.Code) || m.Code == graph.CodeNames && c.mayDiffer(m.Summary)):
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

// clash matches the sentence for two sizes of which nothing says that they are equal.
var clash = regexp.MustCompile(`sizes "?([^"]+?)"? and "?([^"]+?)"? meet.* nothing says that they are equal`)

// mayDiffer reports whether the sizes of which a message says so do differ at some sizes that
// the names may have, though they are equal by chance, or by what steps require, in the runs.
func (c *checker) mayDiffer(message string) bool {
	texts := clash.FindStringSubmatch(message)
	if texts == nil {
		return false
	}
	a, errA := graph.ParseDim(texts[1])
	b, errB := graph.ParseDim(texts[2])
	if errA != nil || errB != nil {
		return false
	}
	noise := rand.New(rand.NewPCG(c.p.Seed, 55))
	for range 100 {
		at := c.otherSizes(noise)
		lookup := func(name string) (int64, bool) { v, known := at[name]; return int64(v), known }
		x, errX := a.Eval(lookup)
		y, errY := b.Eval(lookup)
		if errX == nil && errY == nil && x != y {
			return true
		}
	}
	return false
}

// otherSizes draws sizes that the names may have.
func (c *checker) otherSizes(noise *rand.Rand) map[string]int {
	p, at := c.p, map[string]int{}
	for _, n := range p.Names {
		at[n.Name] = n.AtLeast + noise.IntN(3+20*noise.IntN(2))
	}
	if p.Equal {
		first, second := p.Names[0].Name, p.Names[1].Name
		at[first] = max(at[first], at[second])
		at[second] = at[first]
	}
	return at
}
