package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"unsafe"

	"github.com/broadloom/broadloom/bench/sidebyside"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// step is the attention of some new positions to a cache that they fill up.
type step struct {
	dtype                graph.DType
	batch, heads, shared int // shared is the number of heads of keys and values
	new, longest         int // positions
}

const width = 64 // of a head

// String is the step's name.
func (s step) String() string {
	name := fmt.Sprintf("b%d_h%d_kv%d_t%d_%d", s.batch, s.heads, s.shared, s.new, s.longest)
	if s.dtype == graph.BFloat16 {
		name += "_bf16"
	}
	return name
}

// steps lists what is measured.
func steps() (list []step) {
	for _, dtype := range []graph.DType{graph.Float32, graph.BFloat16} {
		for _, batch := range []int{1, 8} {
			for _, shared := range []int{8, 2} {
				for _, longest := range []int{512, 2048, 8192, 32768} {
					list = append(list, step{dtype, batch, 8, shared, 1, longest})
				}
			}
		}
	}
	for _, part := range []int{128, 512} {
		list = append(list, step{graph.Float32, 1, 8, 2, part, 2048}, step{graph.Float32, 1, 8, 2, part, 8192})
	}
	return list
}

// cacheBytes is the size of all keys and values.
func (s step) cacheBytes() int { return 2 * s.batch * s.shared * s.longest * width * s.dtype.Size() }

// shapes are those of the new queries, keys and values, and of the cache's keys and values.
func (s step) shapes() [][]int {
	kept, cache := []int{s.batch, s.shared, s.new, width}, []int{s.batch, s.shared, s.longest, width}
	return [][]int{{s.batch, s.heads, s.new, width}, kept, kept, cache, cache}
}

// inputs makes the elements of values of these shapes.
func (s step) inputs() (in [][]float32) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, shape := range s.shapes() {
		count := 1
		for _, n := range shape {
			count *= n
		}
		values := make([]float32, count)
		for i := range values {
			values[i] = float32(rng.NormFloat64())
		}
		in = append(in, values)
	}
	return in
}

// program is a step compiled by Broadloom.
type program struct {
	ctx     context.Context
	session *exec.Session
	feed    exec.Feed
	result  *graph.Node
}

// compile makes a step ready.
func (s step) compile(ctx context.Context, threads int, in [][]float32) (*program, error) {
	g := graph.New(s.String())
	shapes := s.shapes()
	var fed, kept []*graph.Node
	for i, name := range []string{"q", "k", "v", "keys", "values"} {
		shape := graph.MakeShape(shapes[i]...)
		if i < 3 {
			fed = append(fed, g.Input(name, s.dtype, shape...))
		} else {
			kept = append(kept, g.State(name, s.dtype, nil, shape...))
		}
	}
	place := g.Input("place", graph.Int64) // fed, so that each call is for the same one
	at := ops.Add(ops.Iota(g, 0, graph.Dim(s.new)), place)
	pass := nn.Evaluation(g)
	for i, state := range kept {
		pass.Write(state, ops.IndexCopy(state, 2, at, fed[1+i]))
	}
	keys, values := pass.Value(kept[0]), pass.Value(kept[1])
	attention := []ops.AttentionOption{ops.CausalFrom(place)}
	if s.heads != s.shared {
		attention = append(attention, ops.GroupedQuery())
	}
	result := ops.ScaledDotProductAttention(fed[0], keys, values, attention...)
	compiled, err := exec.Compile(g, exec.Outputs(result), exec.Updates(pass.Updates()...))
	if err != nil {
		return nil, err
	}
	p := &program{ctx: ctx, session: compiled.NewSession(exec.Threads(threads)), result: result}
	p.feed = exec.Feed{place: int64(s.longest - s.new)}
	for i, n := range fed {
		p.feed[n] = s.array(shapes[i], in[i])
	}
	for i, n := range kept {
		if err := p.session.SetParam(n, s.array(shapes[3+i], in[3+i])); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// array has elements in the dtype of the step.
func (s step) array(shape []int, values []float32) exec.Array {
	if s.dtype != graph.BFloat16 {
		return exec.Array{Shape: shape, Data: values}
	}
	return exec.Array{Shape: shape, Data: half.ToBFloat16(values)}
}

// step makes one call.
func (p *program) step() error {
	_, err := p.session.Run(p.ctx, p.feed)
	return err
}

// answer is the result of a call.
func (p *program) answer() ([]float32, error) {
	r, err := p.session.Run(p.ctx, p.feed)
	if err != nil {
		return nil, err
	}
	if p.result.DType() != graph.BFloat16 {
		values, err := exec.Values[float32](r, p.result)
		return append([]float32(nil), values...), err
	}
	values, err := exec.Values[half.BFloat16](r, p.result)
	list := make([]float32, len(values))
	for i, v := range values {
		list[i] = v.Float32()
	}
	return list, err
}

// reader returns what reads as many bytes as the cache has, and adds them up.
func (s step) reader(ctx context.Context, threads int) (func() error, error) {
	g := graph.New("read")
	x := g.State("x", graph.Float32, nil, graph.MakeShape(64, s.cacheBytes()/4/64)...)
	sum := ops.Sum(x, 1)
	compiled, err := exec.Compile(g, exec.Outputs(sum))
	if err != nil {
		return nil, err
	}
	session := compiled.NewSession(exec.Threads(threads))
	ones := slices.Repeat([]float32{1}, s.cacheBytes()/4) // memory that nobody wrote would be one page of zeros
	if err := session.SetParam(x, exec.Array{Shape: []int{64, len(ones) / 64}, Data: ones}); err != nil {
		return nil, err
	}
	return func() error {
		_, err := session.Run(ctx, nil)
		return err
	}, nil
}

// agrees asks Python for the step, and compares the results.
func (s step) agrees(python *sidebyside.Python, in [][]float32, ours []float32) error {
	payload := make([][]byte, len(in))
	for i, values := range in {
		payload[i] = bytesOf(values)
	}
	var answer struct{ Cannot string }
	request := sidebyside.Request{"dtype": s.dtype.String(), "shapes": s.shapes()}
	if err := python.Ask(request, &answer, payload...); err != nil {
		return err
	}
	if answer.Cannot != "" {
		return fmt.Errorf("PyTorch: %s", answer.Cannot)
	}
	theirs := make([]float32, len(ours))
	if err := python.Read(bytesOf(theirs)); err != nil {
		return err
	}
	tolerance, largest := 1e-4, 0.0
	if s.dtype == graph.BFloat16 {
		tolerance = 3e-2
	}
	for _, v := range theirs {
		largest = max(largest, math.Abs(float64(v)))
	}
	for i, v := range theirs {
		if math.Abs(float64(v-ours[i])) > tolerance*largest {
			return fmt.Errorf("element %d is %v, and %v in PyTorch", i, ours[i], v)
		}
	}
	return nil
}

func bytesOf(values []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), 4*len(values))
}
