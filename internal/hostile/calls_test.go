package hostile

import (
	"reflect"
	"runtime"
	"slices"
	gostrings "strings"
)

// packages is the order in which packages are called.
var packages = []string{"graph/symbolic", "graph", "ops", "nn", "contract", "optim", "autodiff", "shapeinfer/rules",
	"shapeinfer/alias", "shapeinfer", "exec", "viz", "reach"}

// nameOf returns a function's name with its package: "ops.Add".
func nameOf(fn reflect.Value) string {
	name := runtime.FuncForPC(fn.Pointer()).Name()
	name = name[gostrings.LastIndexByte(name, '/')+1:]
	return gostrings.TrimSuffix(name, "[...]")
}

func textOf(in []arg) string {
	words := make([]string, len(in))
	for i, a := range in {
		words[i] = a.text
	}
	return "(" + gostrings.Join(words, ", ") + ")"
}

// How many arguments of a call differ from the usual ones.
const (
	singles = 1
	pairs   = 2
)

// combinations returns lists of arguments of which at most so many differ from the usual
// ones. A list that may be empty is left out where nothing is wrong with it.
func combinations(t reflect.Type, depth, differing int) (all [][]arg) {
	choices := make([][]arg, t.NumIn())
	for i := range choices {
		choices[i] = valuesOf(t.In(i), depth)
		if t.IsVariadic() && i == t.NumIn()-1 {
			choices[i] = slices.Insert(choices[i], 0, choices[i][len(choices[i])-1])
		}
	}
	return differ(choices, differing)
}

func differ(choices [][]arg, differing int) (all [][]arg) {
	usual := make([]arg, len(choices))
	for i, c := range choices {
		usual[i] = c[0]
	}
	all = append(all, usual)
	for i, c := range choices {
		for _, a := range c[1:] {
			one := slices.Clone(usual)
			one[i] = a
			all = append(all, one)
			for j := i + 1; j < len(choices) && differing >= pairs; j++ {
				for _, b := range choices[j][1:] {
					two := slices.Clone(one)
					two[j] = b
					all = append(all, two)
				}
			}
		}
	}
	return all
}

// call makes the arguments in a world and calls the function.
func call(fn reflect.Value, in []arg, w *world) []reflect.Value {
	values := make([]reflect.Value, len(in))
	for i, a := range in {
		values[i] = a.make(w)
	}
	if fn.Type().IsVariadic() {
		return fn.CallSlice(values)
	}
	return fn.Call(values)
}
