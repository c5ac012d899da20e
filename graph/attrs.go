package graph

import (
	"fmt"
	"reflect"
	"strings"
)

// FormatAttrs prints an operation's fixed arguments as "axes=[0,1] keepdims". Fields
// are named in lower case; a false flag and an empty text are left out. It is stable,
// so that two nodes with equal texts and equal operands compute the same.
func FormatAttrs(attrs any) string {
	if attrs == nil {
		return ""
	}
	v := reflect.ValueOf(attrs)
	if v.Kind() != reflect.Struct {
		return formatAttr(v)
	}
	var parts []string
	for i := range v.NumField() {
		f := v.Field(i)
		name := strings.ToLower(v.Type().Field(i).Name)
		switch {
		case f.Kind() == reflect.Bool:
			if f.Bool() {
				parts = append(parts, name)
			}
		case f.Kind() == reflect.String && f.Len() == 0, isNil(f):
		default:
			if s, ok := f.Interface().(fmt.Stringer); ok {
				parts = append(parts, name+"="+s.String())
			} else {
				parts = append(parts, name+"="+formatAttr(f))
			}
		}
	}
	return strings.Join(parts, " ")
}

// isNil reports whether v holds nothing: a nil list of axes means all axes.
func isNil(v reflect.Value) bool {
	return (v.Kind() == reflect.Interface || v.Kind() == reflect.Slice) && v.IsNil()
}

func formatAttr(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.Interface:
		return formatAttr(v.Elem())
	case v.Kind() == reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = formatAttr(v.Index(i))
		}
		return "[" + strings.Join(items, ",") + "]"
	case v.CanInterface():
		return fmt.Sprint(v.Interface())
	}
	return fmt.Sprint(v)
}

// AttrDims lists the expressions over named sizes in the operation's fixed arguments, such
// as the bounds of a slice.
func (n *Node) AttrDims() (list []Dim) {
	var visit func(v reflect.Value)
	visit = func(v reflect.Value) {
		switch {
		case !v.IsValid():
		case v.Type() == reflect.TypeFor[Dim]():
			if d := Dim(v.Int()); d.IsSymbolic() {
				list = append(list, d)
			}
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				visit(v.Field(i))
			}
		case v.Kind() == reflect.Interface:
			visit(v.Elem())
		case v.Kind() == reflect.Slice && holdsDims(v.Type().Elem()):
			for i := range v.Len() {
				visit(v.Index(i))
			}
		}
	}
	visit(reflect.ValueOf(n.attrs))
	return list
}

// holdsDims reports whether elements of a type may hold a Dim: the data of constants do not.
func holdsDims(t reflect.Type) bool {
	return t == reflect.TypeFor[Dim]() || t.Kind() == reflect.Struct || t.Kind() == reflect.Interface || t.Kind() == reflect.Slice
}
