package graph

// Promise is a shape that the program declares for a value: it is proved when the graph is checked. It adds no node,
// and costs nothing at run time.
type Promise struct {
	Node *Node
	Kind PromiseKind
	By   string // the function that states it; "" for a statement by itself
	As   string // how that function calls the value
	Form string // the shape as it was written
	Pos  Pos    // where it was declared
	// Judge returns what is wrong with the promise, or nothing. holds reports whether a
	// requirement is met by all sizes that the declarations allow.
	Judge func(holds func(Requirement) bool) []*Mistake

	call *composite // in which it was stated
}

// PromiseKind says who promises a shape to whom.
type PromiseKind uint8

// The kinds of promises.
const (
	Expected PromiseKind = iota // of a value, wherever it comes from
	Taken                       // of an argument of a function
	Given                       // of a result of a function
)

var promiseKinds = [...]string{"expected", "taken", "given"}

// String names the kind in lower case.
func (k PromiseKind) String() string { return nameOf(promiseKinds[:], k, "promise") }

// Valid reports whether k is one of the kinds.
func (k PromiseKind) Valid() bool { return int(k) < len(promiseKinds) }

// Promise records the declared shape of a value of the graph.
func (g *Graph) Promise(p Promise) {
	p.call = g.composite
	g.promises = append(g.promises, p)
}

// IsOfCall reports whether the promise was declared in the call to which n belongs: see [BeginCall].
func (p Promise) IsOfCall(n *Node) bool { return n != nil && p.call != nil && n.composite == p.call }

// Promises lists the declared shapes, in program order.
func (g *Graph) Promises() []Promise { return g.promises }

// Promiser says who states the promise: "promised by Attention".
func (p Promise) Promiser() string {
	switch {
	case p.By == "":
		return "promised"
	case p.Kind == Taken:
		return "taken by " + p.By
	}
	return "promised by " + p.By
}

// promise returns what was stated of a node: that of the function that returns it, before others.
// What a call of several nodes takes says nothing of the value itself.
func (n *Node) promise() (found Promise, ok bool) {
	if n.g == nil {
		return found, false
	}
	for _, p := range n.g.promises {
		if ofCall := p.Kind == Taken && p.call != nil; p.Node == n && !ofCall &&
			(!ok || p.Kind == Given && found.Kind != Given) {
			found, ok = p, true
		}
	}
	return found, ok
}
