package shapeinfer_test

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// Of a size behind a mistake no rule requires anything: a declaration is suggested for it only if it
// proves that size itself.
func TestNoDeclarationIsSuggestedThatProvesNothing(t *testing.T) {
	g := graph.New("g")
	h, k, m := g.Dim("h"), g.Dim("k"), g.Dim("m")
	x, w := g.Input("x", f32, 2, m, h, 8), g.Input("w", f32, 6, 2, k, k)
	ops.LeakyRelu(ops.Conv2D(x, w, nil, ops.Stride(2), ops.Padding(1), ops.Dilation(2), ops.Groups(2)), 0.2)
	r := shapeinfer.Check(g)
	require.Error(t, r.Err())
	require.Len(t, r.Notes, 1)
	require.Contains(t, r.Notes[0].Summary, "floor((h+1)/2)+2-k >= 0")
	require.Empty(t, r.Notes[0].Fixes)
}

var declaration = regexp.MustCompile(
	`^declare g\.Dim\("(\w+)", graph\.(MultipleOf|AtLeast|AtMost)\((\d+)\)\) and it is proved$`)

// What is declared as a note suggests proves what the note is about, whatever else is wrong.
func TestSuggestedDeclarationsProve(t *testing.T) {
	tried := 0
	for seed := range uint64(2000) {
		if seed == 0 {
			seed = 20043 // a reshape, the multiple of which the graph takes for granted
		}
		p := newProgram(rand.New(rand.NewPCG(seed, 11)))
		g, _ := p.build(nil)
		before := shapeinfer.Check(g)
		for _, m := range before.Notes {
			for _, fix := range m.Fixes {
				said := declaration.FindStringSubmatch(fix.Text)
				if said == nil {
					continue
				}
				was := p.bounds[said[1]]
				now := was
				n, err := strconv.ParseInt(said[3], 10, 64)
				require.NoError(t, err)
				switch said[2] {
				case "MultipleOf":
					now.Multiple = n
				case "AtLeast":
					now.Min = n
				case "AtMost":
					now.Max = n
				}
				p.bounds[said[1]] = now
				g, _ := p.build(nil)
				after := shapeinfer.Check(g)
				p.bounds[said[1]] = was
				require.Less(t, notesAt(after, m.Node.ID()), notesAt(before, m.Node.ID()), "seed %d: %v %s\n%s\n%s",
					seed, &p, fix.Text, before, after)
				tried++
			}
		}
	}
	require.Greater(t, tried, 100)
}

// notesAt counts the notes of a report at a node.
func notesAt(r *shapeinfer.Report, id int) (count int) {
	for _, m := range r.Notes {
		if m.Node.ID() == id {
			count++
		}
	}
	return count
}
