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

// Title sets the title of the picture. The default is the graph's name.
func Title(s string) Option { return func(o *options) { o.title = s } }

// Fold draws each scope that matches one of the patterns as one card. A pattern of [path.Match] without a dot matches
// the last name of a scope at any depth, and otherwise its full name: "attention", "block*.attention". An optimiser
// folds by its name, "AdamW". Patterns that match nothing are passed to [Report].
func Fold(patterns ...string) Option {
	return func(o *options) { o.fold = append(o.fold, patterns...) }
}

// Stack says whether folded scopes of the same structure are drawn as one card with their number. The default is
// true.
func Stack(on bool) Option { return func(o *options) { o.stack = on } }

// Limit sets the number of boxes above which scopes are folded, 400 by default; 0 means no limit. Above a quarter of
// it, optimisers, gradients of calls, calls of functions that take several boxes, and scopes that can be stacked are
// folded; in a compiled program optimisers and then kernels.
func Limit(boxes int) Option { return func(o *options) { o.limit = boxes } }

// Around draws only nodes that are at most radius operands or users away from n. Several views add up.
func Around(n *graph.Node, radius int) Option {
	return func(o *options) { o.views = append(o.views, around{n, radius}) }
}

// Between draws only nodes on a path from one node to another.
func Between(from, to *graph.Node) Option {
	return func(o *options) { o.views = append(o.views, between{from, to}) }
}

// GradientMode says where the nodes of gradients are drawn.
type GradientMode uint8

// Positions of gradients.
const (
	Beside GradientMode = iota // in a separate column that flows up next to the forward values
	Below                      // in the direction of the program
	Hidden                     // not at all
)

// Gradient says where the nodes of gradients are drawn. The default is Beside.
func Gradient(m GradientMode) Option { return func(o *options) { o.gradient = m } }

// Detail is a set of details shown in boxes.
type Detail uint8

// Details of boxes.
const (
	Types   Detail = 1 << iota // dtype and shape
	Names                      // names of the text form, even if the user gave none
	Lines                      // file and line
	Buffers                    // of a program: where values are stored, what is kept, what is written in place
	Costs                      // of a program: bytes moved by kernels, and measured times
)

// Details sets what boxes show. The default is Types, Buffers and Costs.
func Details(d Detail) Option { return func(o *options) { o.detail = d } }

// LongEdges sets the number of rows above which an operand is shown inside its user as a chip instead of connected by
// an edge. The default is 3; 0 draws every edge. Graphviz needs minutes for hundreds of nodes with long edges.
func LongEdges(rows int) Option { return func(o *options) { o.longEdges = rows } }

// KernelMode says how the kernels of a program are drawn.
type KernelMode uint8

// How kernels are drawn.
const (
	// frames around the operations of each, or cards if there would be too many boxes: see [Limit]
	Clusters  KernelMode = iota
	Collapsed            // a card for each
	Off                  // not at all: scopes are drawn as for a graph
)

// Kernels says how the kernels of a program are drawn. The default is Clusters.
func Kernels(m KernelMode) Option { return func(o *options) { o.kernels = m } }

// Sizes binds named sizes to numbers, to compute sizes in bytes. Without it, a program with named sizes is drawn
// without them.
func Sizes(sizes map[string]int) Option { return func(o *options) { o.sizes = sizes } }

// Profile shows the measured times of a program's kernels: see [exec.Session.Profile].
func Profile(p *exec.Profile) Option { return func(o *options) { o.profile = p } }

// Divided colours the values of a graph that are divided over the devices of a mesh: edges have a line in the colour
// of each mesh axis over which the value is divided, and sizes have its name. names are those of the mesh axes, of
// which the first four have colours; of returns them for each axis of a value:
//
//	viz.Divided(mesh.Names(), explanation.Sharding)
func Divided[S ~[][]string](names []string, of func(n *graph.Node) S) Option {
	return func(o *options) {
		o.divisions, o.divided = names, func(n *graph.Node) [][]string { return of(n) }
	}
}

// WithTheme sets the colours: Light, Dark, Print or your own.
func WithTheme(t Theme) Option { return func(o *options) { o.theme = &t } }

// LeftToRight draws the program from left to right instead of downwards.
func LeftToRight() Option { return func(o *options) { o.leftToRight = true } }

// Legend says whether the colours are explained below the picture. The default is true.
func Legend(on bool) Option { return func(o *options) { o.legend = on } }
