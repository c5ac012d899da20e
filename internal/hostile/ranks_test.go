package hostile

import (
	"reflect"
	"slices"
	"testing"

	"github.com/broadloom/broadloom/graph"
)

// TestHighRanks calls every function of operands with operands of 32 and 33 axes: one of them, each and all, alone and
// together with another unusual argument.
func TestHighRanks(t *testing.T) {
	total := 0
	for _, pkg := range packages {
		for _, f := range functions[pkg] {
			fn := reflect.ValueOf(f)
			if isRule(fn.Type()) || spared[nameOf(fn)] || !takesNodes(fn.Type()) {
				continue
			}
			t.Run(nameOf(fn), func(t *testing.T) {
				total += attemptAll(t, nameOf(fn), fn, highCalls(fn.Type()))
			})
		}
	}
	t.Logf("%d calls", total)
}

// How many calls are made at most for each choice of operands of high rank.
const maxHigh, fullHigh = 4, 100

// highCalls returns the calls of a function with operands of high rank.
func highCalls(t reflect.Type) (calls [][]arg) {
	most := maxHigh
	if *full {
		most = fullHigh
	}
	for _, text := range []string{"rank 32", "rank 33"} {
		at := slices.IndexFunc(nodes, func(n named) bool { return n.text == text })
		high := asArg(nodes[at], reflect.TypeFor[*graph.Node]())
		choices := make([][]arg, t.NumIn())
		var operands []int
		for i := range choices {
			switch of := t.In(i); of {
			case reflect.TypeFor[*graph.Node]():
				choices[i], operands = []arg{high, valuesOf(of, 0)[0]}, append(operands, i)
			case reflect.TypeFor[[]*graph.Node]():
				usual := valuesOf(of.Elem(), 0)[0]
				choices[i] = []arg{listOf(of, high), listOf(of, high, high), listOf(of, usual, high)}
			default:
				if choices[i] = valuesOf(of, 0); t.IsVariadic() && i == t.NumIn()-1 {
					choices[i] = slices.Insert(choices[i], 0, choices[i][len(choices[i])-1])
				}
			}
		}
		calls = append(calls, sample(differ(choices, singles), most)...)
		for _, i := range operands { // one operand alone
			few := slices.Clone(choices)
			for _, k := range operands {
				if k != i {
					few[k] = choices[k][1:]
				}
			}
			calls = append(calls, sample(differ(few, singles), most)...)
		}
	}
	return calls
}
