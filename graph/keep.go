package graph

import (
	"reflect"
	"sync"
	"unsafe"
)

// Fixed arguments are copied: changing the slices and maps that were passed does not change a node. Pointers are kept,
// and so are values that do not belong to programs, such as nodes and elements of the library's operations.

// kept returns the fixed arguments of a node that is built with attrs.
func (g *Graph) kept(op *Op, attrs any) any {
	if attrs == nil || g == nil || g.derived {
		return attrs
	}
	users := g.isUsers(op)
	if !holdsKept(reflect.TypeOf(attrs), users) {
		return attrs
	}
	return copied(reflect.ValueOf(attrs), users).Interface()
}

// keptType is a type of fixed arguments, of a user's operation or of one of the library's.
type keptType struct {
	of    reflect.Type
	users bool
}

var keptTypes sync.Map // from keptType to bool

// holdsKept reports whether values of a type may hold a slice or a map that is to be copied: of the library's
// operations only lists of sizes and axes are a user's.
func holdsKept(t reflect.Type, users bool) bool {
	key := keptType{t, users}
	if known, is := keptTypes.Load(key); is {
		return known.(bool)
	}
	holds := false
	switch t.Kind() {
	case reflect.Slice:
		holds = users || t.Elem().Kind() == reflect.Int || t.Elem() == reflect.TypeFor[Dim]()
	case reflect.Map, reflect.Interface:
		holds = users
	case reflect.Array:
		holds = holdsKept(t.Elem(), users)
	case reflect.Struct:
		for i := range t.NumField() {
			holds = holds || holdsKept(t.Field(i).Type, users)
		}
	}
	keptTypes.Store(key, holds)
	return holds
}

// copied returns a value with slices and maps of its own.
func copied(v reflect.Value, users bool) reflect.Value {
	if !v.IsValid() || !holdsKept(v.Type(), users) {
		return v
	}
	switch v.Kind() {
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(list, v)
		for i := range list.Len() {
			if !holdsKept(v.Type().Elem(), users) {
				break
			}
			list.Index(i).Set(copied(list.Index(i), users))
		}
		return list
	case reflect.Map:
		if v.IsNil() {
			return v
		}
		entries := reflect.MakeMapWithSize(v.Type(), v.Len())
		for each := v.MapRange(); each.Next(); {
			entries.SetMapIndex(each.Key(), copied(each.Value(), users))
		}
		return entries
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		made := reflect.New(v.Type()).Elem()
		made.Set(copied(v.Elem(), users))
		return made
	}
	made := reflect.New(v.Type()).Elem()
	made.Set(v)
	if v.Kind() == reflect.Array {
		for i := range made.Len() {
			made.Index(i).Set(copied(made.Index(i), users))
		}
		return made
	}
	for i := range made.NumField() {
		field := made.Field(i)
		// those without exported names too
		field = reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
		field.Set(copied(field, users))
	}
	return made
}
