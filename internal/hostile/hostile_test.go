package hostile

import (
	"flag"
	"math/rand/v2"
	"reflect"
	"slices"
	gostrings "strings"
	"testing"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/shapeinfer"
)

// maxShown bounds the failures that are shown of one function.
const maxShown = 4

// TestFunctions calls every exported function.
func TestFunctions(t *testing.T) {
	total := 0
	for _, pkg := range packages {
		for _, f := range functions[pkg] {
			fn := reflect.ValueOf(f)
			if isRule(fn.Type()) || spared[nameOf(fn)] {
				continue
			}
			t.Run(nameOf(fn), func(t *testing.T) {
				total += attemptAll(t, nameOf(fn), fn, chosen(fn.Type()))
			})
		}
	}
	t.Logf("%d calls", total)
}

// TestMethods calls every method of what the library's functions give and take.
func TestMethods(t *testing.T) {
	total := 0
	for _, of := range receivers() {
		for i := range of.NumMethod() {
			m := of.Method(i)
			name := of.String() + "." + m.Name
			if spared[name] {
				continue
			}
			t.Run(name, func(t *testing.T) {
				total += attemptAll(t, name, m.Func,
					slices.DeleteFunc(chosen(m.Type), func(in []arg) bool { return isNothing(in[0]) }))
			})
		}
	}
	t.Logf("%d calls", total)
}

// receivers lists the types whose methods are called.
func receivers() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[*graph.Graph](), reflect.TypeFor[*graph.Mistake](),
		reflect.TypeFor[*shapeinfer.Report](),
		reflect.TypeFor[*exec.Program](), reflect.TypeFor[*exec.Session](), reflect.TypeFor[*exec.Results](),
		reflect.TypeFor[*graph.Node](), reflect.TypeFor[graph.Dim](),
		reflect.TypeFor[graph.DType](), reflect.TypeFor[graph.Shape](), reflect.TypeFor[graph.Bounds](),
		reflect.TypeFor[optim.Optimizer]()}
}

// isNothing reports whether a receiver is none of the library's making: nil, or a
// structure that its package has not filled.
func isNothing(a arg) bool {
	return a.text == "nil" || gostrings.HasPrefix(a.text, "zero ") || gostrings.HasPrefix(a.text, "an empty ")
}

// attemptAll makes calls of one function and reports each kind of failure once.
func attemptAll(t *testing.T, name string, fn reflect.Value, calls [][]arg) int {
	shown := map[string]bool{}
	for _, in := range calls {
		problem := attempt(fn, in)
		if problem == "" {
			continue
		}
		kind := problem[:min(len(problem), 60)]
		if at := gostrings.IndexByte(problem, '\t'); at >= 0 {
			kind = problem[at:]
		}
		if !shown[kind] && len(shown) < maxShown {
			shown[kind] = true
			t.Errorf("%s%s: %s", name, textOf(in), problem)
		}
	}
	return len(calls)
}

// isRule reports whether a function is called by the shape rules of operations.
func isRule(t reflect.Type) bool {
	return t.NumIn() > 0 && t.In(0) == reflect.TypeFor[*graph.Call]()
}

// full has all calls made that differ in one argument from the usual one, and not a sample.
var full = flag.Bool("full", false, "make all calls with one unusual argument, and more with two")

// How many calls of one function are made at most, chosen by chance.
const (
	maxSingles = 100
	maxPairs   = 25
	fullPairs  = 300
)

// chosen returns the calls of a function: those that differ in one argument from the usual
// one, and some that differ in two.
func chosen(t reflect.Type) [][]arg {
	if *full {
		return append(combinations(t, 0, singles), sample(combinations(t, 0, pairs), fullPairs)...)
	}
	return append(sample(combinations(t, 0, singles), maxSingles), sample(combinations(t, 0, pairs), maxPairs)...)
}

// sample returns the first call, which is the usual one, and others by chance, the same in
// each run.
func sample(calls [][]arg, most int) [][]arg {
	others := calls[1:]
	rng := rand.New(rand.NewPCG(1, uint64(len(calls))))
	rng.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	return calls[:min(len(calls), most)]
}
