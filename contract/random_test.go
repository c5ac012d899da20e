package contract_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/contract"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// mostSize is the greatest size that is tried of the names of the graph.
const mostSize = 6

// values are what names stand for.
type values map[string]int64

// term is a random expression: its text, and its value where it has one.
type term struct {
	text string
	eval func(values) (v int64, ok bool)
}

func constant(n int64) term {
	return term{fmt.Sprint(n), func(values) (int64, bool) { return n, true }}
}

func variable(name string) term {
	return term{name, func(v values) (int64, bool) { return v[name], true }}
}

// binary joins two expressions with an operator. A division by 0, and an exact one that leaves a
// rest, has no value.
func binary(x, y term, op string) term {
	bracket := func(t term) string {
		if strings.ContainsAny(t.text, "+-*/%") {
			return "(" + t.text + ")"
		}
		return t.text
	}
	return term{bracket(x) + op + bracket(y), func(v values) (int64, bool) {
		a, okA := x.eval(v)
		b, okB := y.eval(v)
		switch ok := okA && okB; op {
		case "+":
			return a + b, ok
		case "-":
			return a - b, ok
		case "*":
			return a * b, ok
		case "/":
			return a / max(b, 1), ok && b > 0 && a%max(b, 1) == 0
		default:
			q := a / max(b, 1)
			if a < 0 && a%max(b, 1) != 0 {
				q--
			}
			return q, ok && b > 0
		}
	}}
}

// randomTerm makes an expression over names.
func randomTerm(r *rand.Rand, names []string, depth int) term {
	switch n := r.IntN(10); {
	case depth == 0 || n < 5:
		return variable(names[r.IntN(len(names))])
	case n == 5:
		return constant(int64(1 + r.IntN(4)))
	default:
		op := []string{"+", "+", "-", "*", "*", "/", "//"}[r.IntN(7)]
		x, y := randomTerm(r, names, depth-1), randomTerm(r, names, depth-1)
		if r.IntN(3) > 0 || op == "/" || op == "//" {
			y = constant(int64(1 + r.IntN(3)))
		}
		return binary(x, y, op)
	}
}

// size returns an expression over names of the graph as a size.
func size(t *testing.T, text string) graph.Dim {
	d, err := graph.ParseDim(text)
	require.NoError(t, err, text)
	return d
}

// promisedAxis is an axis of a value and what is promised of it.
type promisedAxis struct {
	have      term
	want      *term // nil: any size
	broadcast bool
}

// randomContract is a contract with the truth about it.
type randomContract struct {
	bounds map[string]graph.Bounds
	axes   []promisedAxis
	text   []string
}

var (
	graphNames = []string{"a", "b"}
	localNames = []string{"p", "q"}
)

// build makes a graph with a random contract.
func build(t *testing.T, r *rand.Rand) (*graph.Graph, *randomContract) {
	g, rc := graph.New("random"), &randomContract{bounds: map[string]graph.Bounds{}}
	for _, name := range graphNames {
		least, multiple := int64(r.IntN(3)), int64(1+r.IntN(2))
		g.Dim(name, graph.AtLeast(least), graph.MultipleOf(multiple))
		rc.bounds[name] = g.Bounds(name)
		rc.text = append(rc.text, fmt.Sprintf("%s: %s", name, rc.bounds[name]))
	}
	c := contract.New(g, "F")
	for i := range 1 + r.IntN(3) {
		var shape graph.Shape
		var words []string
		for range 1 + r.IntN(2) {
			axis := promisedAxis{have: randomTerm(r, graphNames, 1+r.IntN(2))}
			for strings.Contains(strings.ReplaceAll(axis.have.text, "//", ""), "/") {
				axis.have = randomTerm(r, graphNames, 1)
			}
			word := "_"
			if r.IntN(6) > 0 {
				want := randomTerm(r, localNames, r.IntN(3))
				axis.want, axis.broadcast, word = &want, r.IntN(6) == 0, want.text
				if axis.broadcast {
					word = "#" + word
				}
			}
			shape, words = append(shape, size(t, axis.have.text)), append(words, word)
			rc.axes = append(rc.axes, axis)
		}
		x := g.Input(fmt.Sprint("x", i), graph.Float32, shape...)
		form := strings.Join(words, " ")
		rc.text = append(rc.text, fmt.Sprintf("%s as %q", shape, form))
		if i > 0 && r.IntN(2) == 0 {
			c.Gives(x, form)
		} else {
			c.Takes(x.Name(), x, form)
		}
	}
	return g, rc
}

// holds reports for how many sizes of the graph the contract holds, and for how many not.
func (rc *randomContract) holds() (yes, no int) {
	v := values{}
	for v["a"] = 0; v["a"] <= mostSize; v["a"]++ {
		for v["b"] = 0; v["b"] <= mostSize; v["b"]++ {
			if rc.allowed(v) {
				if rc.someLocals(v) {
					yes++
				} else {
					no++
				}
			}
		}
	}
	return yes, no
}

// allowed reports whether the names have sizes that were declared, and the inputs are no less
// than empty.
func (rc *randomContract) allowed(v values) bool {
	for name, b := range rc.bounds {
		if v[name] < b.Min || v[name]%b.Multiple != 0 {
			return false
		}
	}
	for _, a := range rc.axes {
		if n, ok := a.have.eval(v); !ok || n < 0 {
			return false
		}
	}
	return true
}

// someLocals reports whether there are sizes of the contract's names with which all axes are as
// they were promised.
func (rc *randomContract) someLocals(v values) bool {
	most := int64(0)
	for _, a := range rc.axes {
		have, _ := a.have.eval(v)
		most = max(most, 6*have+6) // of a name that is divided twice
	}
	for v["p"] = 0; v["p"] <= most; v["p"]++ {
		if !rc.fits(v, false) {
			continue
		}
		for v["q"] = 0; v["q"] <= most; v["q"]++ {
			if rc.fits(v, true) {
				return true
			}
		}
	}
	return false
}

// fits reports whether the axes are as they were promised: those of which q is a part, or the
// others.
func (rc *randomContract) fits(v values, withQ bool) bool {
	for _, a := range rc.axes {
		if a.want == nil || strings.Contains(a.want.text, "q") != withQ {
			continue
		}
		have, _ := a.have.eval(v)
		want, ok := a.want.eval(v)
		if !ok || have != want && !(a.broadcast && have == 1) {
			return false
		}
	}
	return true
}

// What is proved holds for all sizes; what is refused as never true holds for none. What holds for
// all sizes is proved, but for what no rule of a contract tells.
func TestRandomContracts(t *testing.T) {
	contracts := 300
	if !testing.Short() {
		contracts = 1000
	}
	r := rand.New(rand.NewPCG(1, 2))
	proved, refused, untold, missed := 0, 0, 0, 0
	for range contracts {
		g, rc := build(t, r)
		report := shapeinfer.Check(g)
		yes, no := rc.holds()
		if yes+no == 0 {
			continue
		}
		text := strings.Join(rc.text, "\n") + "\n" + report.String()
		require.NotContains(t, report.String(), "BL171", text)
		switch {
		case report.Err() == nil:
			proved++
			require.Zero(t, no, "proved, and does not hold for some sizes:\n%s", text)
		case strings.Contains(report.String(), "nothing tells"):
			untold++
		case no > 0:
			refused++
			if strings.Contains(report.String(), "never") {
				require.Zero(t, yes, "refused as never true, and holds for some sizes:\n%s", text)
			}
		default:
			missed++
			t.Logf("holds for the sizes tried, and is refused:\n%s", text)
		}
	}
	t.Logf("%d proved, %d refused, %d with names that nothing tells, %d missed", proved, refused, untold, missed)
	require.Greater(t, proved, contracts/10)
	require.Greater(t, refused, contracts/10)
}
