package hostile

import (
	"fmt"
	"reflect"

	"github.com/broadloom/broadloom/graph"
)

// arg is one value of a parameter.
type arg struct {
	text string
	make func(w *world) reflect.Value
}

func asArg(v named, t reflect.Type) arg {
	return arg{v.text, func(w *world) reflect.Value {
		x := reflect.New(t).Elem()
		if made := v.make(w); made != nil {
			x.Set(reflect.ValueOf(made).Convert(t))
		}
		return x
	}}
}

func asArgs(vs []named, t reflect.Type) (args []arg) {
	for _, v := range vs {
		args = append(args, asArg(v, t))
	}
	return args
}

// maxDepth bounds values within values: options that hold numbers, lists of nodes.
const maxDepth = 2

// valuesOf returns values of a type; the first one is the usual one.
func valuesOf(t reflect.Type, depth int) []arg {
	key := valuesKey{t, depth}
	if _, known := knownValues[key]; !known {
		knownValues[key] = findValues(t, depth)
	}
	return knownValues[key]
}

type valuesKey struct {
	t     reflect.Type
	depth int
}

var knownValues = map[valuesKey][]arg{}

func findValues(t reflect.Type, depth int) []arg {
	switch t {
	case reflect.TypeFor[*graph.Node]():
		return asArgs(nodes, t)
	case reflect.TypeFor[graph.Dim]():
		return asArgs(sizes, t)
	case reflect.TypeFor[graph.DType]():
		return asArgs([]named{known("Float32", graph.Float32), known("Bool", graph.Bool), known("Int64", graph.Int64),
			known("InvalidDType", graph.InvalidDType), known("DType(77)", graph.DType(77)),
			known("DType(255)", graph.DType(255))}, t)
	}
	args := append(plainValues(t, depth), made(t, depth)...)
	if zero := (arg{"zero " + t.String(), func(*world) reflect.Value { return reflect.Zero(t) }}); len(args) == 0 ||
		t.Kind() != reflect.Float64 && t.Kind() != reflect.Int {
		args = append(args, zero)
	}
	return args
}

func plainValues(t reflect.Type, depth int) (args []arg) {
	switch t.Kind() {
	case reflect.Bool:
		return asArgs([]named{known("false", false), known("true", true)}, t)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		for _, v := range ints {
			args = append(args, asArg(known(fmt.Sprint(v), v), t))
		}
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		args = asArgs([]named{known("1", uint8(1)), known("0", uint8(0)), known("255", uint8(255))}, t)
	case reflect.Float32, reflect.Float64:
		for _, v := range floats {
			args = append(args, asArg(known(fmt.Sprint(v), v), t))
		}
	case reflect.String:
		for _, v := range strings {
			args = append(args, asArg(known(fmt.Sprintf("%q", v), v), t))
		}
	case reflect.Slice:
		return lists(t, depth)
	case reflect.Func:
		args = append(args, arg{"a function", func(*world) reflect.Value {
			return reflect.MakeFunc(t, func([]reflect.Value) (out []reflect.Value) {
				for i := range t.NumOut() {
					out = append(out, reflect.Zero(t.Out(i)))
				}
				return out
			})
		}})
	case reflect.Map:
		if depth < maxDepth {
			args = append(args, maps(t, depth)...)
		}
	}
	for i, v := range instances {
		if have := instanceTypes()[i]; have == t ||
			t.Kind() == reflect.Interface && t.NumMethod() > 0 && have.Implements(t) {
			args = append(args, asArg(v, t))
		}
	}
	return args
}

// lists returns lists of one and of two elements, and an empty one.
func lists(t reflect.Type, depth int) (args []arg) {
	if depth < maxDepth {
		elements := valuesOf(t.Elem(), depth+1)
		for i, e := range elements {
			args = append(args, listOf(t, e))
			if i > 0 {
				args = append(args, listOf(t, elements[0], e))
			}
		}
	}
	return append(args, arg{"none", func(*world) reflect.Value { return reflect.MakeSlice(t, 0, 0) }})
}

func listOf(t reflect.Type, elements ...arg) arg {
	text := ""
	for _, e := range elements {
		text += " " + e.text
	}
	return arg{"[" + text[1:] + "]", func(w *world) reflect.Value {
		list := reflect.MakeSlice(t, 0, len(elements))
		for _, e := range elements {
			list = reflect.Append(list, e.make(w))
		}
		return list
	}}
}

func maps(t reflect.Type, depth int) (args []arg) {
	keys, values := valuesOf(t.Key(), depth+1), valuesOf(t.Elem(), depth+1)
	for _, k := range keys {
		for _, v := range values[:min(len(values), 4)] {
			args = append(args, arg{"{" + k.text + ": " + v.text + "}", func(w *world) reflect.Value {
				m := reflect.MakeMap(t)
				m.SetMapIndex(k.make(w), v.make(w))
				return m
			}})
		}
	}
	return args
}

// made returns what the library's own functions make of a type, from all values of their one
// argument: options, initialisers, optimisers.
func made(t reflect.Type, depth int) (args []arg) {
	if depth > maxDepth || t.PkgPath() == "" ||
		t.Kind() != reflect.Func && t.Kind() != reflect.Interface && t.Kind() != reflect.Struct &&
			t.Kind() != reflect.Int {
		return nil
	}
	for _, pkg := range packages {
		for _, f := range functions[pkg] {
			fn := reflect.ValueOf(f)
			ft := fn.Type()
			isOne := ft.NumOut() == 1 &&
				(ft.Out(0) == t || t.Kind() == reflect.Interface && t.NumMethod() > 0 && ft.Out(0).Implements(t))
			if !isOne || ft.NumIn() > 0 && ft.In(0) == t {
				continue
			}
			for _, in := range combinations(ft, depth+1, singles) {
				args = append(args, arg{nameOf(fn) + textOf(in), func(w *world) reflect.Value {
					return call(fn, in, w)[0].Convert(t)
				}})
			}
		}
	}
	return args
}
