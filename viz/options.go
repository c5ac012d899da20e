package viz

import (
	"time"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
)

// Option changes what is drawn, or how.
type Option func(*options)

type options struct {
	title       string
	fold        []string
	stack       bool
	limit       int
	views       []view
	gradient    GradientMode
	detail      Detail
	longEdges   int
	theme       *Theme
	leftToRight bool
	legend      bool
	kernels     KernelMode
	sizes       map[string]int
	profile     *exec.Profile
	divisions   []string
	divided     func(*graph.Node) [][]string
	renderer    Renderer
	patience    time.Duration
	report      func(error)
}

func newOptions(opts []Option) *options {
	o := &options{stack: true, limit: 400, detail: Types | Buffers | Costs, longEdges: 3, theme: &Light, legend: true,
		patience: 30 * time.Second}
	for _, set := range opts {
		if set != nil {
			set(o)
		}
	}
	return o
}

// Title replaces the graph's name above the picture.
func Title(s string) Option { return func(o *options) { o.title = s } }

// Fold draws the scopes that match one of the patterns as one card each. A pattern is
// one of [path.Match]; without a dot it is matched with a scope's last name, at any
// depth, else with the scope's full name: "attention", "block*.attention". An optimiser
// folds by its name, "AdamW". [Report] is told of
// one that matches nothing.
func Fold(patterns ...string) Option {
	return func(o *options) { o.fold = append(o.fold, patterns...) }
}

// Stack says whether folded scopes of the same structure are drawn as one card with
// their number; they are unless switched off.
func Stack(on bool) Option { return func(o *options) { o.stack = on } }

// Limit sets the number of boxes past which scopes are folded until fewer are left: 400
// unless said otherwise; 0 is no limit. At a quarter of it optimisers, gradients of calls, calls of functions that
// take several boxes, and scopes that can be stacked fold; in a compiled program optimisers and then kernels.
func Limit(boxes int) Option { return func(o *options) { o.limit = boxes } }

// Around draws only what is at most radius operands or users away from n. Several views
// add up.
func Around(n *graph.Node, radius int) Option {
	return func(o *options) { o.views = append(o.views, around{n, radius}) }
}

// Between draws only what lies on a way from one node to another.
func Between(from, to *graph.Node) Option {
	return func(o *options) { o.views = append(o.views, between{from, to}) }
}

// GradientMode says where the nodes of gradients are drawn.
type GradientMode uint8

// The places of gradients.
const (
	Beside GradientMode = iota // a column of their own that flows up beside the forward values
	Below                      // in the direction of the program
	Hidden                     // not at all
)

// Gradient says where the nodes of gradients are drawn: Beside unless said otherwise.
func Gradient(m GradientMode) Option { return func(o *options) { o.gradient = m } }

// Detail is a set of things that boxes tell.
type Detail uint8

// What boxes can tell.
const (
	Types   Detail = 1 << iota // dtype and shape
	Names                      // the word of the text form, also where the user gave no name
	Lines                      // file and line
	Buffers                    // of a program: where values lie, what is kept, what is written in place
	Costs                      // of a program: bytes moved by kernels, and measured times
)

// Details says what boxes tell: Types, Buffers and Costs unless said otherwise.
func Details(d Detail) Option { return func(o *options) { o.detail = d } }

// LongEdges sets the number of rows past which an operand is printed inside its user
// as a chip instead of being joined to it by an edge: 3 unless said otherwise; 0 draws
// every edge. Graphviz needs minutes for hundreds of nodes with long edges.
func LongEdges(rows int) Option { return func(o *options) { o.longEdges = rows } }

// KernelMode says how the kernels of a program are drawn.
type KernelMode uint8

// How kernels are drawn.
const (
	Clusters  KernelMode = iota // frames around what each computes in one pass, or cards where these would be many boxes: see [Limit]
	Collapsed                   // a card for each
	Off                         // not at all: the program's scopes are drawn as of a graph
)

// Kernels says how the kernels of a program are drawn: Clusters unless said otherwise.
func Kernels(m KernelMode) Option { return func(o *options) { o.kernels = m } }

// Sizes returns values to named sizes, for figures in bytes. A program whose sizes are all
// whole numbers needs none; without them, a program with named sizes is drawn without
// such figures.
func Sizes(sizes map[string]int) Option { return func(o *options) { o.sizes = sizes } }

// Profile shows the measured times of a program's kernels: see [exec.Session.Profile].
func Profile(p *exec.Profile) Option { return func(o *options) { o.profile = p } }

// Divided colours the values of a graph that are divided over the devices of a mesh: edges have a line in the
// colour of each mesh axis over which what they carry is divided, and sizes its name. names are those of the
// mesh axes, of which the first four have colours; of gives them for each axis of a value:
//
//	viz.Divided(mesh.Names(), explanation.Sharding)
func Divided[S ~[][]string](names []string, of func(n *graph.Node) S) Option {
	return func(o *options) {
		o.divisions, o.divided = names, func(n *graph.Node) [][]string { return of(n) }
	}
}

// WithTheme sets the colours: Light, Dark, Print or one of your own.
func WithTheme(t Theme) Option { return func(o *options) { o.theme = &t } }

// LeftToRight draws the program from left to right instead of downwards.
func LeftToRight() Option { return func(o *options) { o.leftToRight = true } }

// Legend says whether the colours are explained below the picture; they are unless
// switched off.
func Legend(on bool) Option { return func(o *options) { o.legend = on } }
