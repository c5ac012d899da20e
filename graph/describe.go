package graph

import (
	"fmt"
	"reflect"
	"strings"
)

// Arguments is what an operation's attributes can implement to be shown in messages as
// the user writes them after the operands: "1, KeepDims()".
type Arguments interface{ Args() string }

// Describe gives a node as it was written: "Add(x, b)".
func Describe(n *Node) string {
	n = n.Written()
	if n == nil || n.op == nil {
		return n.label()
	}
	words := make([]string, 0, len(n.in)+1)
	for _, x := range n.in {
		words = append(words, x.Called())
	}
	return CallText(n, n.attrs, words...)
}

// CallText gives the call of n's operation with other attributes and on operands of the
// given names: "Mean(x, 1, KeepDims())".
func CallText(n *Node, attrs any, operands ...string) string {
	words := append([]string{}, operands...)
	switch {
	case n.op.Class == Source && n.name != "":
		words = append(words, n.Name())
	case n.op == constOp && len(n.shape) == 0 && n.bad == nil:
		words = append(words, elementText(n.ConstData()))
	case n.op != constOp:
		if a := argumentText(attrs); a != "" {
			words = append(words, a)
		}
	}
	return n.op.Func + "(" + strings.Join(words, ", ") + ")"
}

func argumentText(attrs any) string {
	if a, ok := attrs.(Arguments); ok {
		return a.Args()
	}
	return FormatAttrs(attrs)
}

// made says in a few words how the node came to be.
func (n *Node) made() string {
	if n.op.Class == Source {
		return n.op.Func
	}
	return Describe(n)
}

// elementText gives the first element of a constant's data.
func elementText(data any) string { return fmt.Sprint(reflect.ValueOf(data).Index(0)) }
