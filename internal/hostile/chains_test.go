package hostile

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	gostrings "strings"
	"testing"

	"github.com/broadloom/broadloom/graph"
)

// How many chains of calls are made, and how many calls a chain has at most.
const (
	chains     = 400
	fullChains = 20_000
	maxLinks   = 6
)

// TestChains calls functions on what others gave: arguments are mostly usual ones, and values of
// the chain.
func TestChains(t *testing.T) {
	count := chains
	if *full {
		count = fullChains
	}
	var makers []reflect.Value
	for _, pkg := range []string{"ops", "nn"} {
		for _, f := range functions[pkg] {
			if fn := reflect.ValueOf(f); !isRule(fn.Type()) && !spared[nameOf(fn)] && takesNodes(fn.Type()) {
				makers = append(makers, fn)
			}
		}
	}
	failed := 0
	for seed := range uint64(count) {
		c := &chain{rng: rand.New(rand.NewPCG(seed, 7)), w: newWorld()}
		if problem := c.run(makers); problem != "" {
			t.Errorf("chain %d:\n%s\n%s", seed, gostrings.Join(c.calls, "\n"), problem)
			if failed++; failed == 2*maxShown {
				return
			}
		}
	}
}

func takesNodes(t reflect.Type) bool {
	for i := range t.NumIn() {
		if t.In(i) == reflect.TypeFor[*graph.Node]() || t.In(i) == reflect.TypeFor[[]*graph.Node]() {
			return true
		}
	}
	return false
}

// chain is a graph that calls build one on the other.
type chain struct {
	rng    *rand.Rand
	w      *world
	values []*graph.Node
	calls  []string
}

func (c *chain) run(makers []reflect.Value) (problem string) {
	defer func() {
		if p := recover(); p != nil {
			problem = fmt.Sprintf("panic: %v\n%s", p, stack())
		}
	}()
	for range 1 + c.rng.IntN(maxLinks) {
		fn := makers[c.rng.IntN(len(makers))]
		in := make([]arg, fn.Type().NumIn())
		for i := range in {
			in[i] = c.arg(fn.Type().In(i))
		}
		c.calls = append(c.calls, nameOf(fn)+textOf(in))
		for _, n := range nodesIn(call(fn, in, c.w)) {
			if len(c.w.g.Mistakes()) == 0 || c.rng.IntN(4) == 0 {
				c.values = append(c.values, n)
			}
		}
	}
	return judge(c.w, c.values)
}

// arg chooses an argument.
func (c *chain) arg(t reflect.Type) arg {
	if at := len(c.values); t == reflect.TypeFor[*graph.Node]() && at > 0 && c.rng.IntN(3) > 0 {
		x := c.values[c.rng.IntN(at)]
		return arg{x.Label(), func(*world) reflect.Value { return reflect.ValueOf(x) }}
	}
	choices := valuesOf(t, 0)
	if c.rng.IntN(3) > 0 {
		return choices[c.rng.IntN(min(len(choices), 2))]
	}
	return choices[c.rng.IntN(len(choices))]
}
