package contract_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/contract"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

func TestFormsThatAreNotUnderstood(t *testing.T) {
	for _, c := range []struct {
		form, want string
		column     int
	}{
		{"b, t", "unexpected ','", 2},
		{"[b t]", "unexpected '['", 1},
		{"b t h * dh", "the name of the axes is missing after *", 7},
		{"b t h*", "a size is missing at the end", 7},
		{"b -1", "unexpected '-'", 3},
		{"b ?", "unexpected '?'", 3},
		{"b (t+1", "\")\" is missing", 7},
		{"b t)", "unexpected ')'", 4},
		{"b 3x", "3x is not a valid size", 3},
		{"b 99999999999", "is not a valid size", 3},
		{"b t/0", "a division by 0", 5},
		{"b t//0", "a division by 0", 6},
		{"... b ...", "both stand for several axes", 7},
		{"*a *b", "both stand for several axes", 4},
		{"#_", "# says nothing of an axis of any size", 1},
		{"#... b", "# says nothing", 1},
		{"b ..", "unexpected '.'", 3},
		{"b max(t,2)", "max is not one of floor, ceil and min", 3},
		{"b floor(t)", "floor needs a division", 3},
		{"b min(t)", "min needs two sizes", 8},
		{"größe t;", "unexpected ';'", 8},
		{"b=", "a size is missing at the end", 3},
		{strings.Repeat("(", 200), "too many brackets", 102},
	} {
		g := graph.New("forms")
		x := g.Input("x", graph.Float32, g.Dim("b"), g.Dim("t"))
		require.Same(t, x, contract.New(g, "F").Takes("x", x, c.form))
		r := shapeinfer.Check(g)
		require.Len(t, r.Errors, 1, c.form)
		m := r.Errors[0]
		assert.Equal(t, graph.CodeContractForm, m.Code, c.form)
		assert.Contains(t, m.Summary, c.want, c.form)
		require.Len(t, m.Detail, 2)
		assert.Equal(t, strings.Repeat(" ", c.column-1)+"^", m.Detail[1], c.form)
		assert.Contains(t, m.Error(), "form_test.go:", c.form)
	}
}

// Any text is a form or a mistake with its place, and what is a form is judged without a panic.
func FuzzContract(f *testing.F) {
	for _, form := range []string{"", "b t h*dh", "... d", "*b c", "*#b #c", "h/2 h//2 h%2", "(t+1)*2-1 min(a, b) _ _x",
		"n=3 ceil(n/2)", "[b, t]", "#", "ʼ1", "\xff", "9 -1", "0 1/b%1 0", "1/q q 2"} {
		f.Add(form, form)
	}
	f.Fuzz(func(t *testing.T, taken, given string) {
		g := graph.New("fuzz")
		b, n := g.Dim("b"), g.Dim("n", graph.MultipleOf(2))
		x := g.Input("x", graph.Float32, b, n, n.Plus(b))
		c := contract.New(g, "F", b).Let("h", 8)
		c.Takes("x", x, taken)
		c.Gives(x, given)
		c.Size("t")
		contract.Expect(x, taken)
		for _, m := range shapeinfer.Check(g).Errors {
			require.Contains(t, []graph.Code{graph.CodeContract, graph.CodeContractForm}, m.Code)
			if !strings.Contains(taken+given, "ʼ") {
				require.NotContains(t, m.Error(), "ʼ", "%q and %q", taken, given)
			}
			require.NotContains(t, m.Summary, "invalid", "%q and %q", taken, given)
		}
	})
}
