package graph

import (
	"fmt"
	"hash/maphash"
	"math"
	"reflect"
	"strings"

	"github.com/broadloom/broadloom/graph/symbolic"
)

// FormatAttrs prints an operation's fixed arguments as "axes=[0,1] keepdims". Fields
// are named in lower case; a false flag and an empty text are left out. It is stable: equal
// arguments have equal texts. Others may have so too: see [SameAttrs].
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
			parts = append(parts, name+"="+formatField(f))
		}
	}
	return strings.Join(parts, " ")
}

// formatField prints a field as it prints itself, where it can be asked.
func formatField(f reflect.Value) string {
	if f.CanInterface() {
		if s, ok := f.Interface().(fmt.Stringer); ok {
			return fmt.Sprint(s) // whose panic is no panic
		}
	}
	return formatAttr(f)
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
	visitDims(reflect.ValueOf(n.attrs), func(d Dim) {
		if d.IsSymbolic() {
			list = append(list, d)
		}
	})
	return list
}

// wrongArgument is the mistake of a size among the fixed arguments that Go's operators made of a named one. Most rules
// would find something wrong with its shape, if anything: half of a size is a negative number, which a slice takes for
// its beginning.
func (n *Node) wrongArgument() (m *Mistake) {
	visitDims(reflect.ValueOf(n.attrs), func(d Dim) {
		if d.IsMisused() {
			m = &Mistake{Code: CodeSize, Summary: "an argument: " + symbolic.NotRepresentable,
				Help: []string{symbolic.UseMethods}}
		}
	})
	return m
}

func visitDims(v reflect.Value, visit func(Dim)) {
	switch {
	case !v.IsValid():
	case v.Type() == reflect.TypeFor[Dim]():
		visit(Dim(v.Int()))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			visitDims(v.Field(i), visit)
		}
	case v.Kind() == reflect.Interface:
		visitDims(v.Elem(), visit)
	case v.Kind() == reflect.Slice && holdsDims(v.Type().Elem()):
		for i := range v.Len() {
			visitDims(v.Index(i), visit)
		}
	}
}

// holdsDims reports whether elements of a type may hold a Dim: the data of constants do not.
func holdsDims(t reflect.Type) bool {
	return t == reflect.TypeFor[Dim]() || t.Kind() == reflect.Struct || t.Kind() == reflect.Interface ||
		t.Kind() == reflect.Slice
}

// SameAttrs reports whether two operations have the same fixed arguments: the same type, and equal in every field,
// bit for bit. Pointers and channels are the same only if they are identical. Functions are never the same, since
// they cannot be compared.
func SameAttrs(a, b any) bool { return sameValue(reflect.ValueOf(a), reflect.ValueOf(b)) }

func sameValue(a, b reflect.Value) bool {
	if !a.IsValid() || !b.IsValid() {
		return a.IsValid() == b.IsValid()
	}
	if a.Type() != b.Type() {
		return false
	}
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if !sameValue(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() || a.Kind() == reflect.Slice && a.IsNil() != b.IsNil() {
			return false
		}
		for i := range a.Len() {
			if !sameValue(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Interface:
		return sameValue(a.Elem(), b.Elem())
	case reflect.Float32, reflect.Float64:
		return math.Float64bits(a.Float()) == math.Float64bits(b.Float())
	case reflect.Complex64, reflect.Complex128:
		x, y := a.Complex(), b.Complex()
		return math.Float64bits(real(x)) == math.Float64bits(real(y)) &&
			math.Float64bits(imag(x)) == math.Float64bits(imag(y))
	case reflect.Func:
		return a.IsNil() && b.IsNil()
	case reflect.Map:
		return a.Pointer() == b.Pointer() || a.Len() == b.Len() && !a.IsNil() && !b.IsNil() && sameEntries(a, b)
	}
	return a.Equal(b)
}

func sameEntries(a, b reflect.Value) bool {
	for entries := a.MapRange(); entries.Next(); {
		if !sameValue(entries.Value(), b.MapIndex(entries.Key())) {
			return false
		}
	}
	return true
}

// HashAttrs adds fixed arguments to a hash: equal ones by [SameAttrs] give equal hashes.
func HashAttrs(h *maphash.Hash, attrs any) { hashValue(h, reflect.ValueOf(attrs)) }

func hashValue(h *maphash.Hash, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			hashValue(h, v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		maphash.WriteComparable(h, v.Len())
		for i := range v.Len() {
			hashValue(h, v.Index(i))
		}
	case reflect.Interface:
		hashValue(h, v.Elem())
	case reflect.Bool:
		maphash.WriteComparable(h, v.Bool())
	case reflect.String:
		_, _ = h.WriteString(v.String())
	case reflect.Float32, reflect.Float64:
		maphash.WriteComparable(h, math.Float64bits(v.Float()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		maphash.WriteComparable(h, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		maphash.WriteComparable(h, v.Uint())
	case reflect.Pointer:
		maphash.WriteComparable(h, v.Pointer())
	} // what is of no other kind is compared alone
}
