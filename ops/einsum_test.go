package ops_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// naiveEinsum sums over all values of all letters of an equation without an ellipsis.
func naiveEinsum(equation string, xs ...array) (shape []int, y []float64) {
	inputs, output, _ := strings.Cut(equation, "->")
	sizes := map[rune]int{}
	for i, term := range strings.Split(inputs, ",") {
		for axis, l := range []rune(term) {
			sizes[l] = max(sizes[l], xs[i].shape[axis])
		}
	}
	var letters []rune
	for l := range sizes {
		letters = append(letters, l)
	}
	slices.Sort(letters)
	count := 1
	for _, l := range output {
		shape = append(shape, sizes[l])
		count *= sizes[l]
	}
	y = make([]float64, count)
	at := map[rune]int{}
	var loop func(rest []rune)
	loop = func(rest []rune) {
		if len(rest) > 0 {
			for at[rest[0]] = 0; at[rest[0]] < sizes[rest[0]]; at[rest[0]]++ {
				loop(rest[1:])
			}
			return
		}
		product, place := 1.0, 0
		for i, term := range strings.Split(inputs, ",") {
			var index []int
			for axis, l := range []rune(term) {
				index = append(index, min(at[l], xs[i].shape[axis]-1))
			}
			product *= xs[i].at(index...)
		}
		for _, l := range output {
			place = place*sizes[l] + at[l]
		}
		y[place] += product
	}
	loop(letters)
	return shape, y
}

func TestEinsum(t *testing.T) {
	for _, c := range []struct {
		equation, spelled string
		shapes            [][]int
	}{
		{"ij,jk->ik", "", [][]int{{2, 3}, {3, 4}}},
		{"bij, bjk -> bik", "", [][]int{{2, 3, 4}, {2, 4, 2}}},
		{"ij,kj->ki", "", [][]int{{2, 3}, {4, 3}}},
		{"ii->", "", [][]int{{3, 3}}},
		{"ii->i", "", [][]int{{3, 3}}},
		{"iji->j", "", [][]int{{3, 2, 3}}},
		{"i,j->ij", "", [][]int{{2}, {3}}},
		{"ij,ij->", "", [][]int{{2, 3}, {2, 3}}},
		{"ij->ji", "", [][]int{{2, 3}}},
		{"ijk->j", "", [][]int{{2, 3, 2}}},
		{"abc,cd,de->abe", "", [][]int{{2, 2, 3}, {3, 4}, {4, 2}}},
		{"bhqd,bhkd->bhqk", "", [][]int{{2, 2, 3, 2}, {2, 2, 4, 2}}},
		{"i,ij,j->", "", [][]int{{2}, {2, 3}, {3}}},
		{"ij,jk->ik", "", [][]int{{2, 1}, {3, 4}}},
		{"ijk,jk->ij", "", [][]int{{2, 1, 3}, {4, 3}}},
		{"ba", "ba->ab", [][]int{{2, 3}}},
		{"ij,jk", "ij,jk->ik", [][]int{{2, 3}, {3, 4}}},
		{"...ij,...jk->...ik", "xyij,yjk->xyik", [][]int{{2, 3, 2, 2}, {3, 2, 4}}},
		{"i...->...", "ixy->xy", [][]int{{2, 3, 2}}},
		{"...i,i", "xi,i->x", [][]int{{2, 3}, {3}}},
	} {
		t.Run(c.equation, func(t *testing.T) {
			g := graph.New("einsum")
			rng := rand.New(rand.NewPCG(1, 2))
			in, xs, arrays := feeds{}, []*graph.Node{}, []array{}
			for i, s := range c.shapes {
				x := g.Input(fmt.Sprintf("x%d", i), graph.Float64, graph.MakeShape(s...)...)
				in[x] = random(rng, s...)
				xs, arrays = append(xs, x), append(arrays, array{s, in[x].Floats(), 0})
			}
			y := ops.Einsum(c.equation, xs...)
			require.NoError(t, y.Err())
			require.Empty(t, shapeinfer.Check(g).Warnings)
			if c.spelled == "" {
				c.spelled = strings.ReplaceAll(c.equation, " ", "")
			}
			shape, want := naiveEinsum(c.spelled, arrays...)
			got := value(t, in, y)
			require.Equal(t, append([]int{}, shape...), got.Shape)
			requireClose(t, want, got.Floats(), 1e-13, c.equation)
			requireGradients(t, in, y, xs...)
		})
	}
}

func TestEinsumOfSymbolicSizes(t *testing.T) {
	g := graph.New("einsum")
	n, m := g.Dim("n"), g.Dim("m")
	x, y := g.Input("x", graph.Float64, n, 4, m), g.Input("y", graph.Float64, m, 4)
	z := ops.Einsum("nhm,mh->hn", x, y)
	require.NoError(t, z.Err())
	require.Equal(t, graph.Shape{4, n}, z.Shape())
	in := feeds{x: random(rand.New(rand.NewPCG(1, 2)), 2, 4, 3), y: random(rand.New(rand.NewPCG(3, 4)), 3, 4)}
	_, want := naiveEinsum("nhm,mh->hn", array{[]int{2, 4, 3}, in[x].Floats(), 0},
		array{[]int{3, 4}, in[y].Floats(), 0})
	requireClose(t, want, value(t, in, z).Floats(), 1e-13, "einsum")
}

func TestEinsumMistakes(t *testing.T) {
	g := graph.New("einsum")
	x, y := g.Input("x", graph.Float64, 2, 3), g.Input("y", graph.Float64, 4, 5)
	for equation, sentence := range map[string]string{
		"ij":         "einsum(): more operands were provided than specified in the equation",
		"ij,jk,kl":   "einsum(): fewer operands were provided than specified in the equation",
		"ijk,kl":     "einsum(): the number of subscripts in the equation (3) does not match the number of dimensions (2) for operand 0 and no ellipsis was given",
		"ij...k,kl":  "einsum(): the number of subscripts in the equation (3) is more than the number of dimensions (2) for operand 0",
		"ij,jk->ik":  "einsum(): subscript j has size 4 for operand 1 which does not broadcast with previously seen size 3",
		"ij,kl->im":  "einsum(): output subscript m does not appear in the equation for any input operand",
		"ij,kl->ii":  "einsum(): output subscript i appears more than once in the output",
		"i.,kl->i":   "einsum(): found '.' for operand 0 that is not part of any ellipsis",
		"i1,kl->ikl": "einsum(): invalid subscript '1' for operand 0, subscripts must be in [a-zA-Z]",
	} {
		requireMistake(t, ops.Einsum(equation, x, y), sentence)
	}
	stranger := graph.New("other").Input("stranger", graph.Float64, 3, 4)
	require.Error(t, ops.Einsum("ij,jk,kl->il", x, stranger, y).Err())
	require.Error(t, ops.Einsum("i,i->i").Err())
	require.Error(t, ops.Einsum("i", nil).Err())
}
