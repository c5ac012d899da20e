package graph

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/broadloom/broadloom/graph/symbolic"
	"github.com/broadloom/broadloom/internal/building"
)

// Graph is a symbolic program under construction.
type Graph struct {
	name         string
	policy       Policy
	nodes        []*Node
	slab         []Node // room for the nodes to come
	mistakes     []*Mistake
	warnings     []*Mistake
	notes        []*Mistake
	needs        []Requirement
	promises     []Promise
	dims         map[string]*dimDecl
	dimOrder     []string
	said         int              // how often something was said of the named sizes
	names        map[string]*Node // inputs and parameters by full name
	scope        *scope
	composite    *composite // the call that is being built
	origin       *Node
	at           *Node   // the node that a pass writes anew
	from         Pos     // where a whole program is made; see FromHere
	region       *Region // the loop's body that is being built
	derived      bool    // made by a pass
	standIns     *StandIns
	foreign      map[*Mistake]bool
	silenced     map[*Node][]Code
	gradients    map[*Node]asked   // of nodes that were asked for as gradients
	alike        map[*Node]*Node   // other operands of one call that the same call of the source has made
	likes        map[*Node][]*Node // nodes that were made from the shapes of others
	substitution *substitution     // what is read instead of parameters; see WithParams
	autocast     DType             // to which operations are lowered, or InvalidDType; see Autocast
	standsFor    *Node             // what the nodes that are being built stand for; see Like
	stands       map[*Node]*Node   // the nodes for which others stand
	residences   residences
	places       places
	life         *symbolic.Life
	handedOut    map[*Node]string
	carriedOut   sync.Map               // the writes of programs
	outside      map[*Node]LiteralAttrs // numbers that the dtypes of their constants do not hold

	elements     typing       // memory for the types of an element's values
	wrongElement map[*Op]bool // operations of whose Emit a mistake was told
	sizes        []Dim        // memory for those of the operands of a rule
	seenElement  map[*Op]bool // operations whose Emit was asked twice and gave the same
	users        map[*Op]bool // operations, and whether they are a user's
	meanings     map[*Node]*meaning
	origins      []*Node // those whose gradients are being built, each within that of the one before

	independences []Independence // what is to be proved of examples
	functions     atomic.Int32   // Go functions of programs that run

	facts symbolic.Facts // what is known of sizes
}

// New makes an empty graph. The name appears in its text form and in pictures.
func New(name string, opts ...Option) *Graph {
	g := newGraph(name)
	g.life = symbolic.NewLife()
	for _, o := range opts {
		if o != nil {
			o(g)
		}
	}
	building.Made(g)
	return g
}

func newGraph(name string) *Graph {
	g := &Graph{name: name, names: map[string]*Node{}, scope: &scope{}}
	g.facts = symbolic.NewFacts(g.Bounds)
	return g
}

// Option changes how a graph is built and checked; nil changes nothing.
type Option func(*Graph)

// WithPolicy sets the rules that are a matter of choice.
func WithPolicy(p Policy) Option { return func(g *Graph) { g.policy = p } }

// Name returns the graph's name.
func (g *Graph) Name() string { return g.name }

// Policy returns the rules that are a matter of choice.
func (g *Graph) Policy() Policy { return g.policy }

// Nodes lists all nodes, operands before their users. The slice must not be changed.
func (g *Graph) Nodes() []*Node { return g.nodes }

// Inputs lists the inputs in the order in which they were declared.
func (g *Graph) Inputs() []*Node { return g.ofOp(inputOp) }

// Params lists the parameters, state among them, in the order in which they were declared.
func (g *Graph) Params() []*Node { return g.ofOp(paramOp) }

func (g *Graph) ofOp(op *Op) (found []*Node) {
	for _, n := range g.nodes {
		if n.op == op {
			found = append(found, n)
		}
	}
	return found
}

// Mistakes lists the mistakes recorded so far, in program order.
func (g *Graph) Mistakes() []*Mistake { return g.mistakes }

// Warnings lists the warnings recorded so far.
func (g *Graph) Warnings() []*Mistake { return g.warnings }

// Notes lists the remarks recorded so far.
func (g *Graph) Notes() []*Mistake { return g.notes }

// Note records a remark about a node of the graph.
func (g *Graph) Note(m *Mistake) {
	m.Severity = Note
	g.notes = append(g.notes, m)
}

// Requirements lists the requirements that rules could neither prove nor refute when nodes were built.
func (g *Graph) Requirements() []Requirement { return g.needs }

// Err returns all recorded mistakes as one error, or nil. shapeinfer.Check does the whole check, which includes
// mistakes that show only when the graph is complete.
func (g *Graph) Err() error {
	all := make([]error, len(g.mistakes))
	for i, m := range g.mistakes {
		all[i] = m
	}
	return errors.Join(all...)
}

// WithOrigin builds nodes that belong to the gradient of a forward node: they have its source position and its scope.
func (g *Graph) WithOrigin(forward *Node, build func()) {
	outer, outerScope, substitution := g.origin, g.scope, g.substitution
	g.substitution = nil // what a gradient reads was chosen when its forward node was built
	if g.origin = forward; forward != nil {
		g.scope = forward.scope
	}
	g.origins = append(g.origins, forward)
	defer func() {
		g.origin, g.scope, g.origins = outer, outerScope, g.origins[:len(g.origins)-1]
		g.substitution = substitution
	}()
	if build != nil {
		build()
	}
}

// Origins lists the forward nodes of the active calls of [Graph.WithOrigin], the outermost first. The slice must not
// be kept.
func (g *Graph) Origins() []*Node { return g.origins }

// Input declares a value that is fed to every run. Sizes may be whole numbers and
// named sizes in one list.
func (g *Graph) Input(name string, t DType, shape ...Dim) *Node {
	return g.declare(inputOp, InputAttrs{}, name, t, shape)
}

// Param declares a value that a session holds and that updates change: a weight. Its sizes are whole numbers, or
// names of numbers (see [Exactly]), since it outlives the run in which a named size is bound. It is initialised with
// zeros; [Graph.ParamInit] uses other values.
func (g *Graph) Param(name string, t DType, shape ...Dim) *Node {
	return g.declare(paramOp, ParamAttrs{}, name, t, shape)
}

// ParamInit declares a parameter whose initial values come from init.
func (g *Graph) ParamInit(name string, t DType, init Initializer, shape ...Dim) *Node {
	return g.declare(paramOp, ParamAttrs{Init: init}, name, t, shape)
}

// State declares a parameter that no optimiser trains, such as the running statistics of batch normalization: a session
// holds, shares and saves it as it does any parameter, writes change it, and optimisers pass over it. Its initial
// values come from init; without one (nil) they are zeros.
func (g *Graph) State(name string, t DType, init Initializer, shape ...Dim) *Node {
	return g.declare(paramOp, ParamAttrs{Init: init, State: true}, name, t, shape)
}

func (g *Graph) declare(op *Op, attrs any, name string, t DType, shape []Dim) *Node {
	g.refuseInRun()
	n := g.newNode(op, attrs, nil)
	n.pos = g.fromOr(Caller())
	n.name, n.dtype, n.shape, n.judged = n.scope.of(name), t, append(Shape{}, shape...), true
	if g == nil {
		n.judged = false
		return n
	}
	if c := g.composite; c != nil && !c.pos.called { // a call of the library that declares it
		n.pos = c.pos
	}
	n.shape = g.settled(n.shape)
	full := n.Name()
	switch first := g.names[full]; {
	case name == "":
		n.fail(
			&Mistake{Code: CodeName,
				Summary: "an input or a parameter needs a name, by which it is fed, saved and reported"})
	case first != nil:
		n.fail(
			&Mistake{Code: CodeName, Summary: fmt.Sprintf(
				"the name %q is taken by the %s made at %s", full, first.op.Name, first.pos),
				Help: []string{"give each input and parameter its own name, or build it in a Scope"}})
	default:
		g.names[full] = n
	}
	if !t.Valid() {
		n.failOfDType()
		n.judged = false
	}
	for axis, d := range n.shape {
		bad, help := badSize(g, d)
		text := bad
		if op == paramOp {
			text, help = g.WrongParamSize(d)
		}
		if text != "" {
			n.fail(&Mistake{Code: CodeSize, Summary: fmt.Sprintf("axis %d: %s", axis, text), Help: []string{help}})
		}
		if bad != "" {
			n.shape[axis] = UnknownDim
		}
	}
	n.judged = n.judged && n.isCountable()
	if a, is := attrs.(ParamAttrs); is && n.bad == nil {
		n.checkInit(a.Init)
	}
	return n
}

// checkInit records that a parameter's initialiser does not have its shape.
func (n *Node) checkInit(init Initializer) {
	checker, is := init.(ShapeChecker)
	shape, known := n.KnownShape()
	if !is || !known {
		return
	}
	if text := checker.CheckShape(shape); text != "" {
		n.fail(&Mistake{Code: CodeOperand, Summary: fmt.Sprintf("%s: %s", init, text)})
	}
}

// ByName returns the input or parameter of that full name, or nil.
func (g *Graph) ByName(full string) *Node { return g.names[full] }

// newNode appends a node; the caller fills in type and place.
func (g *Graph) newNode(op *Op, attrs any, in []*Node) *Node {
	if g == nil {
		n := &Node{op: op, attrs: attrs, in: in, pos: Caller()}
		n.fail(&Mistake{Code: CodeOperand, Summary: "the graph is nil",
			Help: []string{"make one: graph.New(\"name\")"}})
		return n
	}
	n := g.add(&Node{op: op, scope: g.scope, origin: g.origin, composite: g.composite}, attrs, in)
	if g.at != nil {
		n.source, n.composite = g.at.Source(), g.at.composite
	}
	return n
}

// maxSlab bounds the nodes that room is made for at once.
const maxSlab = 256

// add appends a node like another one, with other fixed arguments and operands.
func (g *Graph) add(like *Node, attrs any, in []*Node) *Node {
	in = g.standIns.values(in) // which may add conversions
	if len(g.slab) == cap(g.slab) {
		g.slab = make([]Node, 0, min(max(len(g.nodes), 4), maxSlab))
	}
	g.life.Reopen()
	g.slab = append(g.slab, *like)
	n := &g.slab[len(g.slab)-1]
	n.g, n.id, n.attrs, n.in = g, int32(len(g.nodes)), attrs, in
	n.findRegion(g.region)
	n.noteStanding()
	g.nodes = append(g.nodes, n)
	return n
}

// fail records a mistake at the node; further ones of the same node are dropped, since
// they are most often consequences of the first.
func (n *Node) fail(m *Mistake) {
	if n.bad != nil {
		return
	}
	m.Node = n
	m.showOperands()
	n.bad = m
	if n.g != nil && !n.repeats(m) {
		n.g.mistakes = append(n.g.mistakes, m)
	}
}

// repeats reports whether a mistake is of a dtype that another part of the same call has refused: one of the
// operands is wrong, and several parts read it.
func (n *Node) repeats(m *Mistake) bool {
	return m.Code == CodeDType && n.composite != nil && slices.ContainsFunc(n.g.mistakes, func(o *Mistake) bool {
		return o.Code == CodeDType && o.Node != nil && o.Node.composite == n.composite
	})
}

// Refuse records a mistake that shows only after the node was built. Nodes that are built
// from it later are not judged.
func (n *Node) Refuse(m *Mistake) {
	n.fail(m)
	n.judged = false
}

// adopt records the mistake of a node that was built without any graph.
func (g *Graph) adopt(m *Mistake) {
	if g.foreign[m] {
		return
	}
	if g.foreign == nil {
		g.foreign = map[*Mistake]bool{}
	}
	g.foreign[m] = true
	g.mistakes = append(g.mistakes, m)
}

func itoa(n int) string { return strconv.Itoa(n) }
