package difftest

import (
	"iter"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/internal/difftest/eager"
)

var equations = []string{"ij,jk->ik", "ii->", "ii->i", "ij->ji", "ij,ij->i", "ij,kj->ki", "i,j->ij", "bij,bjk->bik",
	"ij,jk,kl->il", "i,i->", "ij->", "bij,bkj->bik", "bi,bj->bij",
	"bij,jk->bki", "abi,ij->abj", "ijk->kj", "ij,jk", "ba", "...ij,jk->...ik", "...i,...i->...", "...i->...",
	"i...->...i", "...i,i", "...ij,...jk->...ik", "b...,b...->...", "...ii->...i"}

func (g *gen) einsum() bool {
	s := eager.Step{Op: "Einsum", Text: oneOf(g, equations...)}
	sizes := map[rune]eager.Size{}
	for term := range splitTerms(s.Text) {
		term = strings.Replace(term, "...", "XYZ"[1+g.IntN(3):], 1)
		x := -1
		if g.IntN(2) == 0 {
			x = g.operand(term, sizes)
		}
		if x < 0 {
			var shape []eager.Size
			for _, l := range term {
				d := sizes[l]
				switch {
				case d != nil:
				case l >= 'X' && l <= 'Z' && g.IntN(4) == 0:
					d = eager.Whole(1)
				default:
					d = g.someSize()
					sizes[l] = d
				}
				shape = append(shape, d)
			}
			x = g.input(g.float, shape, "")
		}
		s.In = append(s.In, x)
	}
	return !slices.Contains(s.In, -1) && g.did(s)
}

// operand returns a value whose axes may have these letters, or -1.
func (g *gen) operand(term string, sizes map[rune]eager.Size) int {
	x := g.pick(func(v *eager.Tensor) bool { return v.T == g.float && len(v.Shape) == len(term) })
	if x < 0 {
		return -1
	}
	shape := g.shapeOf(x)
	for i, d := range shape {
		if old, is := sizes[rune(term[i])]; is && !slices.EqualFunc(old, d, sameTerm) {
			return -1
		}
	}
	for i, d := range shape {
		sizes[rune(term[i])] = d
	}
	return x
}

func sameTerm(a, b eager.Term) bool { return a.Times == b.Times && slices.Equal(a.Names, b.Names) }

// splitTerms returns the letters of the operands of an equation.
func splitTerms(equation string) iter.Seq[string] {
	in, _, _ := strings.Cut(equation, "->")
	return strings.SplitSeq(in, ",")
}
