package viz

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// axesFolder is implemented by the fixed arguments of reductions.
type axesFolder interface {
	// FoldedAxes returns the axes that are folded of an operand of the given rank,
	// counted from 0, in rising order.
	FoldedAxes(rank int) []int
}

// longData is the number of elements past which a constant is not printed.
const longData = 4

// attrTexts returns an operation's fixed arguments as words, "axis 1", without those that
// a value's type tells already: dtypes and shapes.
func attrTexts(attrs any) []string {
	v := reflect.ValueOf(attrs)
	if v.Kind() != reflect.Struct {
		return nil
	}
	var texts []string
	for i := range v.NumField() {
		f := v.Field(i)
		if !v.Type().Field(i).IsExported() {
			continue
		}
		name := strings.ToLower(v.Type().Field(i).Name)
		switch x := f.Interface().(type) {
		case graph.DType, graph.Shape, nil:
		case bool:
			if x {
				texts = append(texts, name)
			}
		case string:
			if x != "" {
				texts = append(texts, x)
			}
		default:
			if s := attrText(f); s != "" {
				texts = append(texts, named(name, s))
			}
		}
	}
	return texts
}

// named puts an argument's name before it, but for names that say nothing.
func named(name, text string) string {
	if name == "value" || name == "dim" || name == "data" {
		return text
	}
	return name + " " + text
}

func attrText(f reflect.Value) string {
	if s, ok := f.Interface().(fmt.Stringer); ok {
		return s.String()
	}
	for f.Kind() == reflect.Interface {
		f = f.Elem()
	}
	if f.Kind() != reflect.Slice {
		return fmt.Sprint(f.Interface())
	}
	if f.IsNil() {
		return ""
	}
	if f.Len() > longData {
		return fmt.Sprintf("%d elements", f.Len())
	}
	items := make([]string, f.Len())
	for i := range items {
		items[i] = fmt.Sprint(f.Index(i).Interface())
	}
	return strings.Join(items, ",")
}

// isConversion reports whether the node does nothing but change the dtype.
func isConversion(n *graph.Node) bool {
	if n.Op().Class != graph.Elementwise || len(n.Operands()) != 1 || !n.Judged() {
		return false
	}
	t := reflect.TypeOf(n.Attrs())
	return t != nil && t.Kind() == reflect.Struct && t.NumField() == 1 &&
		t.Field(0).Type == reflect.TypeFor[graph.DType]()
}

// foldedAxes returns the axes that a node folds away and whether they stay with size 1;
// ok is false where that cannot be told.
func foldedAxes(n *graph.Node) (axes []int, keep, ok bool) {
	if len(n.Operands()) != 1 || n.In(0) == nil || !n.Judged() || !n.In(0).Judged() {
		return nil, false, false
	}
	from, to := n.In(0).Shape(), n.Shape()
	if a, is := n.Attrs().(axesFolder); is {
		axes = a.FoldedAxes(len(from))
		return axes, len(from) == len(to) && len(axes) > 0, true
	}
	if n.Op().Class != graph.Reduce {
		return nil, false, false
	}
	return shapeDifference(from, to)
}

// shapeDifference finds the axes that were folded from both shapes, if there is one way
// only to do it.
func shapeDifference(from, to graph.Shape) (axes []int, keep, ok bool) {
	if len(from) == len(to) {
		for i := range from {
			if from[i] != to[i] {
				axes = append(axes, i)
			}
		}
		return axes, true, len(axes) > 0
	}
	first, last := matchFromLeft(from, to), matchFromRight(from, to)
	if first == nil || last == nil {
		return nil, false, false
	}
	for i := range from {
		if first[i] != last[i] {
			return nil, false, false
		}
		if !first[i] {
			axes = append(axes, i)
		}
	}
	return axes, false, true
}

// matchFromLeft marks the axes of from that remain in to, taking each as early as
// possible; nil where to does not come from from.
func matchFromLeft(from, to graph.Shape) []bool {
	kept := make([]bool, len(from))
	next := 0
	for i := range from {
		if next < len(to) && from[i] == to[next] {
			kept[i] = true
			next++
		}
	}
	if next < len(to) {
		return nil
	}
	return kept
}

// matchFromRight is matchFromLeft taking each axis as late as possible.
func matchFromRight(from, to graph.Shape) []bool {
	kept := make([]bool, len(from))
	next := len(to) - 1
	for i := len(from) - 1; i >= 0; i-- {
		if next >= 0 && from[i] == to[next] {
			kept[i] = true
			next--
		}
	}
	if next >= 0 {
		return nil
	}
	return kept
}
