package graph

import "slices"

// User returns the node of the user's program to which n belongs: the one from which a compiler pass made n, and for
// a part of a gradient the forward node. If the user's program made n, it is n itself.
func (n *Node) User() (user *Node, inGradient bool) {
	for n = n.Source(); n.origin != nil && !n.IsPart(); inGradient = true {
		n = n.origin.Source()
	}
	if inGradient {
		n = n.convertedFor()
	}
	return n, inGradient
}

// convertedFor returns the node for which a conversion was put in, or n where it is none.
func (n *Node) convertedFor() *Node {
	for n.implied && n.g != nil && int(n.id) < len(n.g.nodes) {
		at := slices.IndexFunc(n.g.nodes[n.id:], func(user *Node) bool { return slices.Contains(user.in, n) })
		if at < 0 {
			break
		}
		n = n.g.nodes[int(n.id)+at]
	}
	return n
}

// IsWritten reports whether the user's program calls the operation of n itself: n is not part of a call of several
// nodes, of a gradient or of an update.
func (n *Node) IsWritten() bool {
	user, inGradient := n.User()
	return user.op == n.op && !inGradient && !n.IsPart()
}

// IsDerived reports whether n was built as a part of a gradient or of an update: its call has no arguments from the
// user.
func (n *Node) IsDerived() bool {
	_, inGradient := n.User()
	return inGradient || n.composite != nil && n.composite.updates != nil
}

// Calling names the call of the user's program to which n belongs, without operands: "MaxPool2D", "the gradient of
// MaxPool2D", "the update of w by optim.SGD".
func Calling(n *Node) string {
	name, inGradient := CallingOf(n)
	if inGradient {
		return "the gradient of " + name
	}
	return name
}

// CallingOf is [Calling], but it returns whether n belongs to the gradient of what it names, instead of including this
// in the text.
func CallingOf(n *Node) (name string, inGradient bool) {
	n = n.Written()
	if n == nil || n.op == nil {
		return n.label(), false
	}
	user, inGradient := n.User()
	switch f := user.function(); {
	case inGradient && user.isDeclared():
		return user.Called(), true
	case inGradient:
		return Calling(user), true
	case user.composite != nil && user.composite.updates != nil:
		return user.composite.describe(callDepth), false
	case f != "":
		return f, false
	}
	return user.written(), false
}

// UserCall returns the call of the user's program to which n belongs, as a comparable value. All nodes of a function,
// and all of its gradient, have an equal one.
func UserCall(n *Node) any {
	if n = n.Written(); n == nil || n.op == nil {
		return n
	}
	if user, _ := n.User(); user.composite == nil {
		return user
	} else {
		return user.composite
	}
}

// UpdateRule returns the rule of the update to which n belongs, such as "optim.SGD", or "".
func UpdateRule(n *Node) string {
	if n = n.Written(); n == nil || n.op == nil {
		return ""
	}
	if user, inGradient := n.User(); !inGradient && user.composite != nil && user.composite.updates != nil {
		return user.composite.fn
	}
	return ""
}

// BeginUpdate marks the nodes built until end as the update of a parameter by a rule, such as "optim.SGD": messages
// about them speak of "the update of w by optim.SGD", at the line that requested it. The gradient may be nil.
func (g *Graph) BeginUpdate(rule string, w, gradient *Node) (end func()) {
	if g == nil {
		return func() {}
	}
	return beginCall([]*Graph{g}, &composite{fn: rule, in: []*Node{w, gradient}, updates: w})
}
