package nn_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// decoder is attention to whole sequences, and one with a cache, with the same weights.
type decoder struct {
	t       *testing.T
	x, new  *graph.Node // [batch, t, width]
	whole   *graph.Node
	part    *graph.Node
	rows    *graph.Node // of the cache that sequences continue, or nil
	padding *graph.Node // of the keys in the cache, or nil
	all     *exec.Session
	steps   *exec.Session
	width   int
}

// newDecoder makes one with a cache for some sequences; reorders and pads say which inputs there are.
func newDecoder(t *testing.T, batch, longest int, reorders, pads bool) *decoder {
	const width = 16
	g := graph.New("decode")
	d := &decoder{t: t, width: width}
	d.x = g.Input("x", graph.Float64, g.Dim("batch", graph.AtLeast(1)), g.Dim("t", graph.AtLeast(1)), width)
	l := nn.NewMultiHeadAttention(g, "attn", width, 4, nn.KVHeads(2), nn.Causal(), nn.RotaryBase(100), f64)
	cache := l.NewCache("cache", batch, longest)
	d.whole = l.Apply(nn.Evaluation(g), d.x)
	x := g.Input("new", graph.Float64, graph.Dim(batch), g.Dim("n", graph.AtLeast(1)), width)
	pass := nn.Evaluation(g)
	opts := []nn.AttentionOption{nn.Cached(cache)}
	if reorders {
		d.rows = g.Input("rows", graph.Int64, graph.Dim(batch))
		for _, s := range []*graph.Node{cache.Keys, cache.Values} {
			pass.Write(s, ops.Take(pass.Value(s), 0, d.rows))
		}
	}
	if pads {
		d.padding = g.Input("padding", graph.Bool, graph.Dim(batch), graph.Dim(longest))
		opts = append(opts, nn.KeyPadding(d.padding))
	}
	d.part = l.Attend(pass, x, x, x, opts...)
	reference, err := exec.Compile(g, exec.Outputs(d.whole))
	require.NoError(t, err)
	steps, err := exec.Compile(g, exec.Outputs(d.part), exec.Updates(pass.Updates()...))
	require.NoError(t, err)
	d.all = reference.NewSession(exec.Seed(3))
	d.steps, d.new = steps.NewSession(exec.ShareParams(d.all)), x
	return d
}

// last returns the result of the whole sequence of some positions at its last ones.
func (d *decoder) last(positions [][]float64, count int) []float64 {
	y := resultOf(d.t, d.all, d.whole, exec.Feed{d.x: array(positions)})
	return y[len(y)-count*d.width:]
}

// array is one sequence of positions.
func array(positions [][]float64) exec.Array {
	var data []float64
	for _, p := range positions {
		data = append(data, p...)
	}
	return exec.Array{Shape: []int{1, len(positions), len(positions[0])}, Data: data}
}

// step appends positions to each sequence and returns their results.
func (d *decoder) step(new [][][]float64, more exec.Feed) (rows [][]float64) {
	var data []float64
	for _, positions := range new {
		data = append(data, array(positions).Data.([]float64)...)
	}
	feed := exec.Feed{d.new: exec.Array{Shape: []int{len(new), len(new[0]), d.width}, Data: data}}
	for n, v := range more {
		feed[n] = v
	}
	y := resultOf(d.t, d.steps, d.part, feed)
	for i := range new {
		rows = append(rows, y[i*len(y)/len(new):(i+1)*len(y)/len(new)])
	}
	return rows
}

// positions makes random ones.
func positions(rng *rand.Rand, count, width int) (list [][]float64) {
	for range count {
		p := make([]float64, width)
		for i := range p {
			p[i] = rng.NormFloat64()
		}
		list = append(list, p)
	}
	return list
}

// TestPromptsInPieces feeds a prompt in pieces of 128 and others behind a cache.
func TestPromptsInPieces(t *testing.T) {
	d, rng := newDecoder(t, 1, 400, false, false), rand.New(rand.NewPCG(1, 2))
	text, seen := positions(rng, 391, d.width), [][]float64(nil)
	for _, piece := range []int{128, 128, 100, 33, 1, 1} {
		got := d.step([][][]float64{text[:piece]}, nil)
		seen = append(seen, text[:piece]...)
		assert.InDeltaSlice(t, d.last(seen, piece), got[0], 1e-12, "pieces to %d", len(seen))
		text = text[piece:]
	}
}

// TestBeamsContinueOthers takes the rows of a cache that sequences continue, as beam search does.
func TestBeamsContinueOthers(t *testing.T) {
	const beams = 3
	d, rng := newDecoder(t, beams, 12, true, false), rand.New(rand.NewPCG(3, 4))
	texts := make([][][]float64, beams)
	for step, rows := range [][]int64{{0, 1, 2}, {2, 0, 0}, {1, 1, 2}, {0, 2, 1}} {
		var longer, new [][][]float64
		for _, row := range rows {
			next := positions(rng, 1+step%2, d.width)
			longer, new = append(longer, slices.Concat(texts[row], next)), append(new, next)
		}
		texts = longer
		got := d.step(new, exec.Feed{d.rows: rows})
		for i, text := range texts {
			assert.InDeltaSlice(t, d.last(text, len(new[i])), got[i], 1e-12, "step %d, beam %d", step, i)
		}
	}
}

// TestSequencesOfDifferentLengths continues prompts of different lengths, padded before their first positions.
func TestSequencesOfDifferentLengths(t *testing.T) {
	const longest, prompt = 10, 5
	d, rng := newDecoder(t, 3, longest, false, true), rand.New(rand.NewPCG(5, 6))
	padding, texts, new := make([]bool, 3*longest), make([][][]float64, 3), make([][][]float64, 3)
	for i, pad := range []int{0, 2, 4} {
		for k := range pad {
			padding[i*longest+k] = true
		}
		new[i] = positions(rng, prompt, d.width)
		texts[i] = new[i][pad:]
	}
	for step := range 4 {
		got := d.step(new, exec.Feed{d.padding: exec.Array{Shape: []int{3, longest}, Data: padding}})
		for i, text := range texts {
			assert.InDeltaSlice(t, d.last(text, 1), got[i][len(got[i])-d.width:], 1e-12, "step %d, text %d", step, i)
			new[i] = positions(rng, 1, d.width)
			texts[i] = append(text, new[i]...)
		}
	}
}

// TestRingOfKeys attends to a window of the latest keys, which overwrite the oldest ones in a ring.
func TestRingOfKeys(t *testing.T) {
	const window, count, head = 4, 11, 8
	g := graph.New("ring")
	at := g.Input("at", graph.Int64)
	var in, rings []*graph.Node
	for _, name := range []string{"q", "k", "v"} {
		in = append(in, g.Input(name, graph.Float64, 1, 2, 1, head))
	}
	pass := nn.Evaluation(g)
	for i, name := range []string{"keys", "values"} {
		ring := g.State(name, graph.Float64, nn.Zeros(), 1, 2, window, head)
		place := ops.Unsqueeze(ops.Remainder(at, graph.Num(window)), 0)
		rings = append(rings, pass.Write(ring, ops.IndexCopy(ring, 2, place, in[1+i])))
	}
	isFilled := ops.LessEqual(ops.Iota(g, 0, window), at)
	y := ops.ScaledDotProductAttention(in[0], rings[0], rings[1], ops.AttentionMask(isFilled))
	var all []*graph.Node
	for _, name := range []string{"all q", "all k", "all v"} {
		all = append(all, g.Input(name, graph.Float64, 1, 2, count, head))
	}
	want := ops.ScaledDotProductAttention(all[0], all[1], all[2], ops.Causal(), ops.SlidingWindow(window))
	steps, err := exec.Compile(g, exec.Outputs(y), exec.Updates(pass.Updates()...))
	require.NoError(t, err)
	whole, err := exec.Compile(g, exec.Outputs(want))
	require.NoError(t, err)

	rng, feed := rand.New(rand.NewPCG(7, 8)), exec.Feed{}
	values := make([][]float64, 3) // [2, count, head]
	for i := range values {
		for range 2 * count {
			values[i] = append(values[i], positions(rng, 1, head)[0]...)
		}
		feed[all[i]] = exec.Array{Shape: []int{1, 2, count, head}, Data: values[i]}
	}
	expected, s := resultOf(t, whole.NewSession(), want, feed), steps.NewSession()
	of := func(data []float64, place int) (both []float64) {
		for h := range 2 {
			both = append(both, data[(h*count+place)*head:][:head]...)
		}
		return both
	}
	for place := range count {
		feed := exec.Feed{at: int64(place)}
		for i, n := range in {
			feed[n] = exec.Array{Shape: []int{1, 2, 1, head}, Data: of(values[i], place)}
		}
		assert.InDeltaSlice(t, of(expected, place), resultOf(t, s, y, feed), 1e-12, fmt.Sprint("place ", place))
	}
}
