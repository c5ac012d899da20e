package exec_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
)

// program is a random program over named sizes and several dtypes. It is made in steps, each
// from a number, so that it can be made again without a step that was a mistake.
type program struct {
	kind       *kind
	seed       uint64
	steps      []uint64
	rng        *rand.Rand
	g          *graph.Graph
	batch, seq graph.Dim
	large      map[string]int64 // the largest sizes at which it runs
	at         map[string]int64 // the sizes at which it runs now
	float      graph.DType
	nodes      []*graph.Node
	feeds      map[*graph.Node]reference.Value // of inputs, and of parameters before the run
	velocity   map[*graph.Node]*graph.Node     // parameters that follow the gradients of others
	state      map[*graph.Node]*graph.Node     // what parameters and mutable inputs are after the writes
	limit      map[*graph.Node]graph.Dim       // inputs that are indices below a size
	exact      map[*graph.Node]bool            // values that are formed without rounding
	wide       bool                            // numbered computes in float64 what is float32
	negative   bool                            // numbered met a negative size
}

// kind is what programs are about.
type kind struct {
	begin   func(*program)             // makes the first values, which tell the sizes
	grow    func(*program) *graph.Node // draws an operation on values that there are; nil where none fits
	steps   int
	room    int   // the greatest number of elements of a value at the largest sizes
	threads []int // as many as in the first run give the same bits
	options []exec.Option
	open    bool // the largest sizes are compared with a program that keeps all values
}

// smallSizes are those at which values have few elements, for the oracle.
var smallSizes = map[string]int64{"batch": 5, "seq": 4}

func newProgram(k *kind, seed uint64, steps ...uint64) *program {
	p := &program{kind: k, seed: seed, rng: rand.New(rand.NewPCG(seed, 31)), feeds: map[*graph.Node]reference.Value{},
		velocity: map[*graph.Node]*graph.Node{}, state: map[*graph.Node]*graph.Node{},
		limit: map[*graph.Node]graph.Dim{}, exact: map[*graph.Node]bool{},
		large: map[string]int64{"batch": 41, "seq": 30}}
	policy := graph.Policy{Names: graph.Numpy, MutualExpand: graph.AllowSilently, SecondWrite: graph.AllowSilently}
	p.g = graph.New("random", graph.WithPolicy(policy))
	p.batch = p.g.Dim("batch", graph.AtLeast(p.rng.Int64N(2)))
	p.seq = p.g.Dim("seq", graph.AtLeast(p.rng.Int64N(3)))
	p.float = []graph.DType{graph.Float32, graph.Float64}[p.rng.IntN(2)]
	k.begin(p)
	for _, step := range steps {
		p.take(step)
	}
	return p
}

// grown is a program of some steps, none of which is a mistake.
func grown(k *kind, seed uint64) *program {
	p := newProgram(k, seed)
	draw := rand.New(rand.NewPCG(seed, 5))
	for range k.steps/2 + draw.IntN(k.steps) {
		step := draw.Uint64() &^ 1
		if seed%3 == 0 && draw.IntN(4) == 0 {
			step |= 1 // writes in place
		}
		if !p.take(step) {
			p = newProgram(k, seed, p.steps...)
		}
	}
	return p
}

// take adds what a number stands for, and reports whether it is no mistake.
func (p *program) take(step uint64) bool {
	p.rng = rand.New(rand.NewPCG(step, 3))
	if step&1 == 1 {
		p.write()
	} else if n := p.kind.grow(p); n != nil && n.Judged() && n.Rank() <= 4 && p.fits(n) {
		p.nodes = append(p.nodes, n)
	}
	if p.g.Err() != nil || slices.ContainsFunc(p.g.Inputs(), func(n *graph.Node) bool { return !p.fits(n) }) {
		return false
	}
	p.steps = append(p.steps, step)
	return true
}

// fits reports whether a value is small enough.
func (p *program) fits(n *graph.Node) bool {
	small, large := p.elements(n, smallSizes), p.elements(n, p.large)
	return small >= 0 && small <= 400 && large <= p.kind.room
}

func (p *program) elements(n *graph.Node, at map[string]int64) int {
	p.at = at
	_, count := p.sizes(n.Shape())
	return count
}

func (p *program) sizes(s graph.Shape) (sizes []int, count int) {
	count = 1
	for _, d := range s {
		v, _ := d.Eval(p.bound)
		sizes, count = append(sizes, int(v)), count*int(v)
	}
	return sizes, count
}

// bound returns a named size of the run.
func (p *program) bound(name string) (int64, bool) { return p.at[name], true }

func (p *program) input(t graph.DType, s ...graph.Dim) *graph.Node {
	n := p.g.Input(fmt.Sprintf("x%d", len(p.g.Inputs())), t, s...)
	p.exact[n] = true
	if p.seed%3 == 0 && p.rng.IntN(3) == 0 {
		n.Mutable()
	}
	return n
}

// index is an input whose elements are below a size.
func (p *program) index(limit graph.Dim, s ...graph.Dim) *graph.Node {
	n := p.g.Input(fmt.Sprintf("x%d", len(p.g.Inputs())), graph.Int64, s...)
	p.limit[n] = limit
	return n
}

// params makes parameters, some of which have a velocity.
func (p *program) params(count int) {
	for i := range count {
		shape := make(graph.Shape, p.rng.IntN(3))
		for axis := range shape {
			shape[axis] = graph.Dim(1 + p.rng.IntN(5))
		}
		w := p.g.Param(fmt.Sprintf("w%d", i), p.float, shape...)
		if p.rng.IntN(2) == 0 {
			p.velocity[w] = p.g.Param(fmt.Sprintf("v%d", i), p.float, shape...)
		}
		p.nodes = append(p.nodes, w)
	}
}

// draw makes the value of an input or parameter at the sizes of the run.
func (p *program) draw(n *graph.Node) reference.Value {
	sizes, count := p.sizes(n.Shape())
	data := make([]float64, count)
	limit, isIndex := p.limit[n]
	below, _ := limit.Eval(p.bound)
	for i := range data {
		switch x := p.rng.Float64()*2 - 1; {
		case isIndex:
			data[i] = math.Floor((x + 1) / 2 * float64(below))
		case n.DType() == graph.Bool:
			data[i] = math.Ceil(x)
		case n.DType() == graph.Int64:
			data[i] = math.Round(4 * x)
		default:
			data[i] = x
		}
	}
	return reference.FromFloats(n.DType(), data, sizes...)
}

// bindings are sizes for the runs of a session: some twice, and small ones after large ones.
func (p *program) bindings() []map[string]int64 {
	draw := rand.New(rand.NewPCG(p.seed, 17))
	return []map[string]int64{smallSizes, {"batch": 1, "seq": 3}, p.large,
		{"batch": draw.Int64N(4), "seq": draw.Int64N(6)},
		{"batch": draw.Int64N(2), "seq": draw.Int64N(2)}, smallSizes}
}

func (p *program) isLarge() bool {
	return p.at["batch"] == p.large["batch"] && p.at["seq"] == p.large["seq"]
}

// bind draws the values of the inputs at some sizes, and those of the parameters for the
// first run, unless an input has a negative size or too many elements there.
func (p *program) bind(at map[string]int64) bool {
	p.at, p.rng = at, rand.New(rand.NewPCG(p.seed, uint64(64*at["batch"]+at["seq"])))
	for _, n := range p.g.Inputs() {
		sizes, count := p.sizes(n.Shape())
		if count > p.kind.room || slices.ContainsFunc(sizes, func(v int) bool { return v < 0 }) {
			return false
		}
		p.feeds[n] = p.draw(n)
	}
	for _, n := range p.g.Params() {
		if _, drawn := p.feeds[n]; !drawn {
			p.feeds[n] = p.draw(n)
		}
	}
	return true
}

// randomPrograms compares programs of a kind with the oracle.
func randomPrograms(t *testing.T, k *kind, seeds uint64) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(slices.Max(k.threads)))
	if testing.Short() {
		seeds /= 4
	}
	valid := 0
	for seed := range seeds {
		if grown(k, seed).agrees(t) > 0 {
			valid++
		}
	}
	require.Greater(t, valid, int(seeds/2), "most programs should have values at some sizes")
	t.Logf("%d of %d programs have values", valid, seeds)
}

// mixed programs are made of all operations. Some have many parameters, whose small steps run
// side by side.
var mixed = &kind{steps: 14, room: 12_000, threads: []int{1, 4}, grow: (*program).operation, begin: func(p *program) {
	p.nodes = append(p.nodes, p.input(p.float, []graph.Dim{p.batch, p.batch.Times(2).Plus(1)}[p.rng.IntN(2)], 3))
	p.nodes = append(p.nodes, p.input(p.float, p.seq, []graph.Dim{p.batch, p.seq, 2}[p.rng.IntN(3)]))
	p.nodes = append(p.nodes, p.input(p.float, p.shapeOf(p.rng.IntN(4))...),
		p.input(graph.Int64, p.shapeOf(p.rng.IntN(3))...))
	p.params([]int{0, 1, 2, 15}[p.rng.IntN(4)])
}}

func TestRandomProgramsAgreeWithTheOracle(t *testing.T) { randomPrograms(t, mixed, 60) }

func FuzzProgramsAgreeWithTheOracle(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		grown([]*kind{mixed, images, products, longRows}[seed%4], seed/4).agrees(t)
	})
}
