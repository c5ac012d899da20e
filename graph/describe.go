package graph

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Arguments can be implemented by an operation's attributes to be shown in messages as the user writes them: Args
// returns all arguments of the call, given the text of its operands, such as "x", "1", "KeepDims()".
type Arguments interface {
	Args(operands []string) []string
}

// Describe returns a node as it was written: "Add(x, b)". If the user called a function composed of several
// operations, that function is named too, "Sub(a, b) in MSE"; or only it, "BatchNorm(…)", if the operation has no
// function of its own and a name in lower case. Parts of a gradient are "the gradient of Exp(x)", those of an
// optimiser's step "the update of w by optim.SGD".
func Describe(n *Node) string {
	if n != nil && n.op != nil && (n.implied && n.bad != nil || n.g == nil) {
		if n.IsPart() {
			return n.composite.describe(callDepth)
		}
		if f := n.function(); f != "" {
			return f + "(…)" // what the call is made of was not built
		}
	}
	n = n.Written()
	if n == nil || n.op == nil {
		return n.label()
	}
	switch user, inGradient := n.User(); {
	case inGradient && user.isDeclared():
		return "the gradient of " + user.Called()
	case inGradient:
		return "the gradient of " + Describe(user)
	case user.op != n.op:
		return Describe(user) // a pass made n of it
	}
	text := n.callText(callDepth)
	if f := n.function(); f != "" && isFunction(n.op.Func) {
		text += " in " + f
	}
	return text
}

// function returns the function that the user called where it is not n's own operation.
func (n *Node) function() string {
	if n.composite != nil {
		return ""
	}
	f, ok := n.pos.Frame()
	if !ok || n.op.Class == Source || !isFunction(f.Call) || f.Call == n.op.Func {
		return ""
	}
	return f.Call
}

// isFunction tells the name of an exported function, but for those that build the nodes of others, from that of a
// function literal.
func isFunction(name string) bool {
	return name != "" && name[0] >= 'A' && name[0] <= 'Z' && name != "Apply" && !strings.HasPrefix(name, "Refused")
}

// callDepth bounds calls within calls in a message.
const callDepth = 2

// maxWords bounds the operands that a call shows.
const maxWords = 6

// callText returns the call of n's operation, with operands without a name as calls nested to the given depth.
func (n *Node) callText(depth int) string {
	if n.IsPart() {
		return n.composite.describe(depth)
	}
	if f := n.function(); f != "" && !isFunction(n.op.Func) {
		return f + "(…)"
	}
	return CallText(n, n.attrs, shortList(n.in, func(_ int, x *Node) string { return x.called(depth - 1) })...)
}

// CallText returns the call of n's operation with other attributes and on operands of the
// given names: "Mean(x, 1, KeepDims())".
func CallText(n *Node, attrs any, operands ...string) string {
	words := operands
	switch {
	case n.op.Class == Source && n.name != "":
		words = append(words, n.Name())
	case n.op == constOp && len(n.shape) == 0 && n.bad == nil:
		words = append(words, elementText(n.ConstData()))
	case n.op != constOp:
		words = arguments(attrs, words)
	}
	return n.op.Func + "(" + strings.Join(words, ", ") + ")"
}

// CallOf returns the call of an operation on operands of the given names.
func CallOf(op *Op, attrs any, operands ...string) string {
	return op.Func + "(" + strings.Join(arguments(attrs, operands), ", ") + ")"
}

func arguments(attrs any, operands []string) (words []string) {
	defer func() {
		if recover() != nil { // an operation's own text must not stand in the way of a message
			words = append(slices.Clone(operands), "…")
		}
	}()
	if a, ok := attrs.(Arguments); ok {
		return a.Args(operands)
	}
	if text := FormatAttrs(attrs); text != "" {
		return append(operands, text)
	}
	return operands
}

// made says in a few words how the node came to be.
func (n *Node) made() string {
	a, isAsked := n.asGradient()
	switch f := n.function(); {
	case isAsked:
		return a.call()
	case n.IsMutable():
		return "Input (mutable)"
	case n.op.Class == Source:
		return n.op.Func
	case f != "" && !n.IsDerived():
		return f + "(…)"
	}
	return Describe(n)
}

// elementText returns the first element of a constant's data.
func elementText(data any) string { return fmt.Sprint(reflect.ValueOf(data).Index(0)) }
