package exec_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// attentionForm is attention as people write it: of queries [b, s, 4, 8], keys and values [b, s, h, 8], to
// [b, s, 4, 8].
type attentionForm struct {
	name  string
	heads int // h
	apply func(f *formInputs, q, k, v *graph.Node) *graph.Node
}

// formInputs makes what else a form reads.
type formInputs struct {
	g          *graph.Graph
	dt         graph.DType
	batch, len graph.Dim
	learned    []*graph.Node // whose gradients are wanted
}

// learn makes a further input whose gradient is computed.
func (f *formInputs) learn(shape ...graph.Dim) *graph.Node {
	x := f.g.Input(fmt.Sprint("learned", len(f.learned)), f.dt, shape...)
	f.learned = append(f.learned, x)
	return x
}

func (f *formInputs) num(v float64) *graph.Node { return f.g.Scalar(f.dt, v) }

// causal marks the keys behind each query, [s, s].
func (f *formInputs) hidden() *graph.Node {
	return ops.Greater(ops.Iota(f.g, 1, f.len, f.len), ops.Iota(f.g, 0, f.len, f.len))
}

// distance is that of keys to queries, [s, s].
func (f *formInputs) distance() *graph.Node {
	return ops.Cast(ops.Sub(ops.Iota(f.g, 1, 1, f.len), ops.Iota(f.g, 0, f.len, 1)), f.dt)
}

// byHead brings the axis of heads before that of places.
func byHead(x *graph.Node) *graph.Node { return ops.Transpose(x, 1, 2) }

func scaledScores(q, k *graph.Node) *graph.Node {
	return ops.Mul(ops.MatMul(byHead(q), ops.Transpose(byHead(k), 2, 3)), graph.Num(1/math.Sqrt(8)))
}

// weighed is softmax(scores)·v in the layout of queries.
func weighed(scores, v *graph.Node) *graph.Node {
	return byHead(ops.MatMul(ops.Softmax(scores, -1), byHead(v)))
}

// repeated shares keys with heads of queries.
func (f *formInputs) expanded(x *graph.Node) *graph.Node {
	x = ops.Expand(ops.Unsqueeze(x, 3), f.batch, f.len, x.Shape()[2], 4/x.Shape()[2], 8)
	return ops.Reshape(x, f.batch, f.len, 4, 8)
}

func (f *formInputs) slopes() *graph.Node {
	return ops.Reshape(ops.Exp2(ops.Mul(ops.Cast(ops.Add(ops.Iota(f.g, 0, 4), graph.Num(1)), f.dt), f.num(-2))), 4,
		1, 1)
}

var lowest = graph.Num(math.Inf(-1))

var attentionForms = []attentionForm{
	{"einsum", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		s := ops.Div(ops.Einsum("bqhd,bkhd->bhqk", q, k), f.num(math.Sqrt(8)))
		return ops.Einsum("bhqk,bkhd->bqhd", ops.Softmax(s, 3), v)
	}},
	{"einsum of heads", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		s := ops.Einsum("bhid,bhjd->bhij", byHead(q), byHead(k))
		s = ops.Where(f.hidden(), lowest, ops.Mul(s, f.num(1/math.Sqrt(8))))
		return ops.Permute(ops.Einsum("bhij,bhjd->bhid", ops.Softmax(s, -1), byHead(v)), 0, 2, 1, 3)
	}},
	{"keys in columns", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		return weighed(ops.Div(ops.MatMul(byHead(q), ops.Permute(k, 0, 2, 3, 1)), f.num(math.Sqrt(8))), v)
	}},
	{"scale on q", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		q = ops.Mul(q, f.num(1/math.Sqrt(8)))
		return weighed(ops.MatMul(byHead(q), ops.Transpose(byHead(k), 2, 3)), v)
	}},
	{"scale on both", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		c := f.num(math.Pow(8, -0.25))
		return weighed(ops.MatMul(byHead(ops.Mul(q, c)), ops.Mul(ops.Transpose(byHead(k), 2, 3), c)), v)
	}},
	{"batches of heads", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node { // as torch.bmm has it
		flat := func(x *graph.Node) *graph.Node { return ops.Reshape(byHead(x), f.batch.Times(4), f.len, 8) }
		s := ops.Softmax(ops.MatMul(flat(q), ops.Transpose(flat(k), 1, 2)), 2)
		return byHead(ops.Reshape(ops.MatMul(s, flat(v)), f.batch, 4, f.len, 8))
	}},
	{"mask of a triangle", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		mask := ops.Tril(ops.Full(f.g, f.dt, 1, f.len, f.len), 0)
		return weighed(ops.MaskedFill(scaledScores(q, k), ops.Equal(mask, graph.Num(0)), lowest), v)
	}},
	{"mask of a triangle of booleans", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		mask := ops.Cast(ops.Triu(ops.Full(f.g, f.dt, 1, f.len, f.len), 1), graph.Bool)
		return weighed(ops.Where(mask, f.num(-1e9), scaledScores(q, k)), v)
	}},
	{"mask by a product", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		mask := ops.Tril(ops.Full(f.g, f.dt, 1, f.len, f.len), 0)
		return weighed(ops.Add(scaledScores(q, k), ops.Mul(ops.Sub(f.num(1), mask), f.num(-1e9))), v)
	}},
	{"mask as in GPT-2", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node { // s·m - 1e4·(1-m)
		mask := ops.Cast(ops.Not(f.hidden()), f.dt)
		s := ops.Sub(ops.Mul(scaledScores(q, k), mask), ops.Mul(f.num(1e4), ops.Sub(f.num(1), mask)))
		return weighed(s, v)
	}},
	{"bias of a triangle of infinities", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		return weighed(ops.Add(scaledScores(q, k), ops.Triu(ops.Full(f.g, f.dt, math.Inf(-1), f.len, f.len), 1)), v)
	}},
	{"mask of padding", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		pad := f.g.Input("pad", graph.Bool, f.batch, f.len)
		return weighed(ops.MaskedFill(scaledScores(q, k), ops.Unsqueeze(ops.Unsqueeze(pad, 1), 1), lowest), v)
	}},
	{"lengths", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		lengths := f.g.Input("lengths", graph.Int64, f.batch, 1, 1, 1)
		late := ops.Greater(ops.Iota(f.g, 3, 1, 1, 1, f.len), lengths)
		return weighed(ops.Where(ops.Or(late, f.hidden()), lowest, scaledScores(q, k)), v)
	}},
	{"bias of padding", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		bias := f.g.Input("bias", f.dt, f.batch, 1, 1, f.len)
		return weighed(ops.Add(scaledScores(q, k), bias), v)
	}},
	{"ALiBi", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		s := ops.Add(scaledScores(q, k), ops.Mul(f.slopes(), f.distance()))
		return weighed(ops.MaskedFill(s, f.hidden(), lowest), v)
	}},
	{"ALiBi of distances", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		return weighed(ops.Sub(scaledScores(q, k), ops.Mul(f.slopes(), ops.Abs(f.distance()))), v)
	}},
	{"rotary", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		q, k = nn.Rotary(byHead(q), 1e4, graph.Num(0)), nn.Rotary(byHead(k), 1e4, graph.Num(0))
		s := ops.Mul(ops.MatMul(q, ops.Transpose(k, 2, 3)), graph.Num(1/math.Sqrt(8)))
		return weighed(ops.MaskedFill(s, f.hidden(), lowest), v)
	}},
	{"rotary by hand", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		rate := ops.Exp(ops.Mul(ops.Cast(ops.Iota(f.g, 0, 4), f.dt), f.num(-math.Log(1e4)/4)))
		angle := ops.Mul(ops.Cast(ops.Iota(f.g, 0, f.len, 1, 1), f.dt), rate)
		turned := func(x *graph.Node) *graph.Node {
			a, b := ops.Slice(x, 3, 0, 4, 1), ops.Slice(x, 3, 4, 8, 1)
			c, s := ops.Cos(angle), ops.Sin(angle)
			return ops.Concat(3, ops.Sub(ops.Mul(a, c), ops.Mul(b, s)), ops.Add(ops.Mul(b, c), ops.Mul(a, s)))
		}
		return weighed(ops.MaskedFill(scaledScores(turned(q), turned(k)), f.hidden(), lowest), v)
	}},
	{"norms of queries and keys", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		gain := f.g.Input("gain", f.dt, 8)
		return weighed(scaledScores(ops.RMSNorm(q, gain, 1e-6), ops.RMSNorm(k, gain, 1e-6)), v)
	}},
	{"cosines", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		unit := func(x *graph.Node) *graph.Node {
			return ops.Div(x, ops.Sqrt(ops.Add(ops.Sum(ops.Square(x), -1, ops.KeepDims()), f.num(1e-6))))
		}
		return weighed(ops.Mul(scaledScores(unit(q), unit(k)), ops.Exp(f.g.Input("temperature", f.dt, 4, 1, 1))), v)
	}},
	{"soft cap", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		s := ops.Mul(ops.Tanh(ops.Div(scaledScores(q, k), f.num(20))), f.num(20))
		return weighed(ops.MaskedFill(s, f.hidden(), lowest), v)
	}},
	{"sliding window", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		near := ops.And(ops.LessEqual(f.distance(), f.num(0)), ops.Greater(f.distance(), f.num(-64)))
		return weighed(ops.Where(near, scaledScores(q, k), lowest), v)
	}},
	{"window on both sides", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		return weighed(ops.MaskedFill(scaledScores(q, k), ops.Greater(ops.Abs(f.distance()), f.num(50)), lowest), v)
	}},
	{"blocks of one document", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		id := f.g.Input("document", graph.Int64, f.batch, f.len)
		same := ops.Equal(ops.Unsqueeze(id, 2), ops.Unsqueeze(id, 1))
		return weighed(ops.Where(ops.And(ops.Unsqueeze(same, 1), ops.Not(f.hidden())), scaledScores(q, k), lowest), v)
	}},
	{"prefix", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		seen := ops.Less(ops.Iota(f.g, 1, f.len, f.len), f.g.Input("prefix", graph.Int64))
		return weighed(ops.MaskedFill(scaledScores(q, k), ops.And(f.hidden(), ops.Not(seen)), lowest), v)
	}},
	{"keys by RepeatInterleave", 2, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		k, v = ops.RepeatInterleave(k, 2, 2), ops.RepeatInterleave(v, 2, 2)
		return weighed(ops.MaskedFill(scaledScores(q, k), f.hidden(), lowest), v)
	}},
	{"keys by Expand", 2, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		return weighed(ops.MaskedFill(scaledScores(q, f.expanded(k)), f.hidden(), lowest), f.expanded(v))
	}},
	{"groups of queries", 2, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		q = ops.Permute(ops.Reshape(q, f.batch, f.len, 2, 2, 8), 0, 2, 3, 1, 4) // b 2 2 s 8
		k, v = ops.Unsqueeze(byHead(k), 2), ops.Unsqueeze(byHead(v), 2)
		s := ops.Mul(ops.MatMul(q, ops.Transpose(k, 3, 4)), f.num(1/math.Sqrt(8)))
		y := ops.MatMul(ops.Softmax(ops.MaskedFill(s, f.hidden(), lowest), -1), v)
		return ops.Reshape(ops.Permute(y, 0, 3, 1, 2, 4), f.batch, f.len, 4, 8)
	}},
	{"groups by einsum", 2, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		q = ops.Reshape(q, f.batch, f.len, 2, 2, 8)
		s := ops.Mul(ops.Einsum("bqhgd,bkhd->bhgqk", q, k), f.num(1/math.Sqrt(8)))
		y := ops.Einsum("bhgqk,bkhd->bqhgd", ops.Softmax(ops.MaskedFill(s, f.hidden(), lowest), -1), v)
		return ops.Reshape(y, f.batch, f.len, 4, 8)
	}},
	{"one head of keys", 1, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		s := ops.Mul(ops.MatMul(byHead(q), ops.Transpose(byHead(k), 2, 3)), f.num(1/math.Sqrt(8)))
		return weighed(ops.MaskedFill(s, f.hidden(), lowest), v)
	}},
	{"one head of keys by einsum", 1, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		k, v = ops.Squeeze(k, 2), ops.Squeeze(v, 2)
		s := ops.Mul(ops.Einsum("bqhd,bkd->bhqk", q, k), f.num(1/math.Sqrt(8)))
		return ops.Einsum("bhqk,bkd->bqhd", ops.Softmax(ops.MaskedFill(s, f.hidden(), lowest), -1), v)
	}},
	{"softmax by hand", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		s := scaledScores(q, k)
		e := ops.Exp(ops.Sub(s, ops.StopGradient(ops.Max(s, -1, ops.KeepDims()))))
		return byHead(ops.MatMul(ops.Div(e, ops.Sum(e, -1, ops.KeepDims())), byHead(v)))
	}},
	{"softmax by hand, divided late", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		s := scaledScores(q, k)
		e := ops.Exp(ops.Sub(s, ops.StopGradient(ops.Max(s, -1, ops.KeepDims()))))
		return byHead(ops.Div(ops.MatMul(e, byHead(v)), ops.Sum(e, -1, ops.KeepDims())))
	}},
	{"softmax by LogSumExp", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		s := ops.MaskedFill(scaledScores(q, k), f.hidden(), lowest)
		return byHead(ops.MatMul(ops.Exp(ops.Sub(s, ops.LogSumExp(s, -1, ops.KeepDims()))), byHead(v)))
	}},
	{"softmax by LogSoftmax", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		return byHead(ops.MatMul(ops.Exp(ops.LogSoftmax(scaledScores(q, k), -1)), byHead(v)))
	}},
	{"softmax without a greatest", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		e := ops.Exp(scaledScores(q, k))
		return byHead(ops.MatMul(ops.Div(e, ops.Sum(e, -1, ops.KeepDims())), byHead(v)))
	}},
	{"softmax plus one", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		s := scaledScores(q, k)
		top := ops.Maximum(ops.Max(s, -1, ops.KeepDims()), f.num(0))
		e := ops.Exp(ops.Sub(s, top))
		sum := ops.Add(ops.Sum(e, -1, ops.KeepDims()), ops.Exp(ops.Neg(top)))
		return byHead(ops.MatMul(ops.Div(e, sum), byHead(v)))
	}},
	{"weights masked once more", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		w := ops.Softmax(ops.MaskedFill(scaledScores(q, k), f.hidden(), f.num(-1e9)), -1)
		return byHead(ops.MatMul(ops.MaskedFill(w, f.hidden(), f.num(0)), byHead(v)))
	}},
	{"dropout", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		w := ops.Dropout(ops.Softmax(ops.MaskedFill(scaledScores(q, k), f.hidden(), lowest), -1), 0.1,
			f.g.Input("seed", graph.Int64))
		return byHead(ops.MatMul(w, byHead(v)))
	}},
	{"weights of 16 bits", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		// as models in float16 widen their softmax
		half := func(x *graph.Node) *graph.Node { return ops.Cast(x, graph.BFloat16) }
		s := ops.Mul(ops.MatMul(byHead(half(q)), ops.Transpose(byHead(half(k)), 2, 3)), graph.Num(1/math.Sqrt(8)))
		w := half(ops.Softmax(ops.MaskedFill(ops.Cast(s, graph.Float32), f.hidden(), lowest), -1))
		return ops.Cast(byHead(ops.MatMul(w, byHead(half(v)))), f.dt)
	}},
	{"scaled dot products", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		return byHead(ops.ScaledDotProductAttention(byHead(q), byHead(k), byHead(v), ops.Causal()))
	}},
	{"scaled dot products of groups", 2, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		return byHead(ops.ScaledDotProductAttention(
			byHead(q), byHead(k), byHead(v), ops.Causal(), ops.GroupedQuery(), ops.SlidingWindow(40)))
	}},
	{"scaled dot products of fed masks", 4, func(f *formInputs, q, k, v *graph.Node) *graph.Node {
		mask := f.g.Input("mask", graph.Bool, f.batch, 1, 1, f.len)
		return byHead(ops.ScaledDotProductAttention(byHead(q), byHead(k), byHead(v), ops.AttentionMask(mask)))
	}},
}

// trained is the loss of a layer of attention, and its gradients.
func (a attentionForm) trained(g *graph.Graph, dt graph.DType, batch, length graph.Dim) []*graph.Node {
	x := g.Input("x", dt, batch, length, 24)
	wrt := []*graph.Node{x}
	project := func(name string, heads int) *graph.Node {
		w := g.Input(name, dt, 24, graph.Dim(heads*8))
		wrt = append(wrt, w)
		return ops.Reshape(ops.MatMul(x, w), batch, length, graph.Dim(heads), 8)
	}
	f := &formInputs{g: g, dt: dt, batch: batch, len: length}
	y := a.apply(f, project("q", 4), project("k", a.heads), project("v", a.heads))
	o := g.Input("o", dt, 32, 24)
	y = ops.Add(x, ops.MatMul(ops.Reshape(y, batch, length, 32), o))
	loss := ops.Mean(ops.Square(y))
	wrt = append(append(wrt, o), f.learned...)
	return append([]*graph.Node{loss}, autodiff.Grad(loss, wrt)...)
}

// Each form of attention takes memory that grows with the places, and not with their square, in training and without,
// of any and of known length.
func TestFormsOfAttentionTakeLinearMemory(t *testing.T) {
	for _, a := range allForms() {
		for _, training := range []bool{false, true} {
			t.Run(fmt.Sprint(a.name, " ", training), func(t *testing.T) {
				compile := func(length func(*graph.Graph) graph.Dim) *exec.Program {
					g := graph.New("form")
					outputs := a.trained(g, graph.Float32, 2, length(g))
					if !training {
						outputs = outputs[:1]
					}
					p, err := exec.Compile(g, exec.Outputs(outputs...), exec.OnWarning(nil))
					require.NoError(t, err)
					return p
				}
				arena := func(p *exec.Program, sizes map[string]int) int {
					f, err := p.Footprint(sizes)
					require.NoError(t, err)
					return f.Arena
				}
				p := compile(func(g *graph.Graph) graph.Dim { return g.Dim("length") })
				short, long := arena(p, map[string]int{"length": 1024}), arena(p, map[string]int{"length": 4096})
				known := arena(compile(func(*graph.Graph) graph.Dim { return 4096 }), nil)
				if long >= 5*short || max(long, known) > 48<<20 {
					t.Errorf("%d MB for 1024 and %d MB for 4096, %d MB for a known length of 4096", short>>20, long>>20,
						known>>20)
				}
			})
		}
	}
}

// feedOf makes numbers for inputs in which length is the only name: whole numbers are below a limit.
func feedOf(g *graph.Graph, length, limit int) exec.Feed {
	r := rand.New(rand.NewPCG(uint64(length), 7))
	feed := exec.Feed{}
	for _, n := range g.Inputs() {
		count, shape := 1, []int{}
		for _, d := range n.Shape() {
			size := length
			if v, known := d.Int(); known {
				size = int(v)
			}
			shape, count = append(shape, size), count*size
		}
		a := exec.Array{Shape: shape, Data: someNumbers(r, n.DType(), shape)}
		switch n.DType() {
		case graph.Int64:
			data := make([]int64, count)
			for i := range data {
				data[i] = r.Int64N(int64(limit))
			}
			a.Data = data
		case graph.Bool:
			data := make([]bool, count)
			for i := range data {
				data[i] = r.IntN(4) == 0
			}
			a.Data = data
		}
		feed[n] = a
	}
	return feed
}

// Forms of attention have the same bits in blocks of rows as where matrices are whole, and where nothing is computed
// twice.
func TestFormsOfAttentionHaveTheBitsOfWholeMatrices(t *testing.T) {
	for _, a := range allForms() {
		for _, dt := range []graph.DType{graph.Float32, graph.Float64} {
			if dt == graph.Float64 && testing.Short() {
				continue
			}
			t.Run(fmt.Sprint(a.name, " ", dt), func(t *testing.T) {
				g := graph.New("form")
				outputs := a.trained(g, dt, 2, g.Dim("length"))
				restore := exec.WithoutPass("recompute")
				exec.WithoutPass("rematerialize")
				whole := programOf(t, g, outputs, exec.ChainsOf(0))
				restore()
				chained := programOf(t, g, outputs, exec.ChainsOf(14))
				for _, length := range []int{37, 1, 2, 70} {
					feed := feedOf(g, length, length+1)
					want := resultsOf(t, whole, outputs, feed, 1)
					for _, threads := range []int{1, 3} {
						got := resultsOf(t, chained, outputs, feed, threads)
						for i := range outputs {
							requireBits(t, want[i], got[i],
								fmt.Sprintf("length %d, output %d, %d threads", length, i, threads))
						}
					}
					if testing.Short() {
						break
					}
				}
			})
		}
	}
}

// A factor of a large product has its own shape, though it is as large as the product and one number everywhere.
func TestFactorsBesideScores(t *testing.T) {
	g := graph.New("outer")
	x, y, w := g.Param("x", graph.Float64, 4), g.Input("y", graph.Float64, g.Dim("n").Plus(1)),
		g.Input("w", graph.Float64, 4, 4)
	mean := ops.Mean(ops.MatMul(w, ops.Outer(x, y)), ops.AllAxes())
	dx := autodiff.Grad(mean, []*graph.Node{x})[0]
	p, err := exec.Compile(g, exec.Outputs(dx))
	require.NoError(t, err)
	r, err := p.NewSession().Run(t.Context(), exec.Feed{
		y: []float64{1, 2, 3}, w: [][]float64{{1, 2, 3, 4}, {0, 1, 0, 0}, {0, 0, 1, 0}, {1, 0, 0, 0}}})
	require.NoError(t, err)
	a, err := r.Array(dx)
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{1, 1.5, 2, 2}, a.Data, 1e-12) // sums of columns of w times the sum of y, by 12
}
