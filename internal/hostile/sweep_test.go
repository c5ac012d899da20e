package hostile

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	gostrings "strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// A sweepArray is an array of PyTorch; numbers that JSON lacks are words.
type sweepArray struct {
	T string
	S []int
	D []any
}

func (a sweepArray) data() any {
	t, err := graph.ParseDType(a.T)
	if err != nil {
		panic(err)
	}
	list := t.MakeSlice(len(a.D))
	for i, v := range a.D {
		word := fmt.Sprint(v)
		f, err := strconv.ParseFloat(word, 64)
		if err != nil {
			panic(err)
		}
		whole, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			whole = int64(f)
		}
		graph.SetNumberAt(list, i, f, whole)
	}
	return list
}

// A sweepCall is a call of an operation, and what PyTorch answers: testdata/sweep/sweep.py wrote it.
type sweepCall struct {
	Op           string
	Args         []any
	In, Out      []sweepArray
	Refused      string
	Tol          float64
	Of, Wrt, Of2 []int // results with gradients, what these are of, and gradients with gradients
	Dy, Grads    []sweepArray
	W, Grads2    []sweepArray
}

// A sweeper builds a call.
type sweeper struct {
	g     *graph.Graph
	named bool // sizes from 4 on have names, the same for equal ones
	in    []*graph.Node
	feed  exec.Feed
}

// give declares an input. Where sizes have names it gets a shape that it is known to have, if there is one.
func (s *sweeper) give(name string, a sweepArray, as graph.Shape) *graph.Node {
	t, _ := graph.ParseDType(a.T)
	shape := graph.Shape{}
	for i, d := range a.S {
		size := graph.Dim(d)
		switch {
		case s.named && as != nil:
			size = as[i]
		case s.named && d > 3: // smaller ones are often numbers that an operation asks for
			size = s.g.Dim(fmt.Sprintf("d%d", d))
		}
		shape = append(shape, size)
	}
	n := s.g.Input(name, t, shape...)
	s.feed[n] = exec.Array{Shape: append([]int{}, a.S...), Data: a.data()}
	return n
}

// sweepFunctions are the functions of package ops by name.
var sweepFunctions = func() map[string]reflect.Value {
	byName := map[string]reflect.Value{}
	for _, f := range functions["ops"] {
		name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
		byName[name[gostrings.LastIndexByte(name, '.')+1:]] = reflect.ValueOf(f)
	}
	return byName
}()

// sweepWords are the constants by name.
var sweepWords = func() map[string]any {
	words := map[string]any{}
	for i := range 5 {
		for _, v := range []fmt.Stringer{ops.ResizeMode(i), ops.PaddingMode(i), ops.QuantileMode(i),
			ops.MatrixNormOrder(i), ops.FFTScale(i), ops.ConvolveMode(i), ops.RankMethod(i), ops.ResizePlaces(i + 1),
			ops.ResizeRounding(i + 1), ops.OutsideElements(i + 1), ops.Reduction(i + 1)} {
			words[gostrings.TrimPrefix(v.String(), "ops.")] = v
		}
	}
	return words
}()

// argument turns what stands in a call into an argument of a type.
func (s *sweeper) argument(a any, want reflect.Type) reflect.Value {
	switch a := a.(type) {
	case json.Number:
		f, err := a.Float64()
		if err != nil {
			panic(err)
		}
		if want == reflect.TypeFor[*graph.Node]() {
			return reflect.ValueOf(graph.Num(f))
		}
		return reflect.ValueOf(f).Convert(want)
	case map[string]any:
		for kind, v := range a {
			switch kind {
			case "n":
				k, err := v.(json.Number).Int64()
				if err != nil {
					panic(err)
				}
				return reflect.ValueOf(s.in[k])
			case "nil":
				return reflect.Zero(want)
			case "g":
				return reflect.ValueOf(s.g)
			case "c":
				return reflect.ValueOf(sweepWords[v.(string)])
			case "t":
				t, _ := graph.ParseDType(v.(string))
				return reflect.ValueOf(t)
			case "f":
				f, _ := strconv.ParseFloat(v.(string), 64)
				return reflect.ValueOf(f)
			case "l":
				return s.list(v.([]any), want)
			case "o": // an option, whose arguments are beside its name
				return s.call(v.(string), a["a"].([]any))[0]
			case "a":
				return s.call(a["o"].(string), v.([]any))[0]
			}
		}
	}
	return reflect.ValueOf(a)
}

func (s *sweeper) list(of []any, want reflect.Type) reflect.Value {
	list := reflect.New(want).Elem()
	if want.Kind() == reflect.Slice {
		list = reflect.MakeSlice(want, len(of), len(of))
	}
	for i, e := range of {
		list.Index(i).Set(s.argument(e, want.Elem()))
	}
	return list
}

func (s *sweeper) call(name string, args []any) []reflect.Value {
	f := sweepFunctions[name]
	t, in := f.Type(), []reflect.Value{}
	for i, a := range args {
		want := t.In(min(i, t.NumIn()-1))
		if t.IsVariadic() && i >= t.NumIn()-1 {
			want = want.Elem()
		}
		in = append(in, s.argument(a, want))
	}
	return f.Call(in)
}

// run returns what the program gives, PyTorch's results in the same order, and what they are; or the refusal.
func (c sweepCall) run(ctx context.Context, named bool) (got []exec.Array, want []sweepArray, what []string,
	err error) {
	s := &sweeper{graph.New("sweep", graph.WithPolicy(graph.Policy{MutualExpand: graph.AllowSilently})), named, nil,
		exec.Feed{}}
	for i, a := range c.In {
		s.in = append(s.in, s.give(fmt.Sprintf("x%d", i), a, nil))
	}
	var nodes, wrt []*graph.Node
	for _, v := range s.call(c.Op, c.Args) {
		switch v := v.Interface().(type) {
		case *graph.Node:
			nodes = append(nodes, v)
		case []*graph.Node:
			nodes = append(nodes, v...)
		}
	}
	if err := s.g.Err(); err != nil {
		return nil, nil, nil, err
	}
	nodes = nodes[:min(len(nodes), max(len(c.Out), 1))] // PyTorch's places of equal elements may be others
	if len(nodes) < len(c.Out) {
		return nil, nil, nil, fmt.Errorf("%d results, and PyTorch has %d", len(nodes), len(c.Out))
	}
	for i, a := range c.Out {
		want, what = append(want, a), append(what, fmt.Sprintf("result %d", i))
	}
	add := func(of []int, from []*graph.Node, weights, answers []sweepArray, name string) []*graph.Node {
		if len(answers) == 0 {
			return nil
		}
		sum := graph.Num(0.0)
		for i, k := range of {
			weight := s.give(fmt.Sprintf("%s%d", name, i), weights[i], from[k].Shape())
			sum = ops.Add(ops.Sum(ops.Mul(from[k], weight)), sum)
		}
		grads := autodiff.Grad(sum, wrt, autodiff.ZeroForUnused())
		for i, a := range answers {
			want, what = append(want, a), append(what, fmt.Sprintf("gradient %s to operand %d", name, c.Wrt[i]))
		}
		return grads
	}
	for _, k := range c.Wrt {
		wrt = append(wrt, s.in[k])
	}
	first := add(c.Of, nodes, c.Dy, c.Grads, "dy")
	nodes = slices.Concat(nodes, first, add(c.Of2, first, c.W, c.Grads2, "w"))
	if len(nodes) == 0 {
		return nil, want, what, nil
	}
	p, err := exec.Compile(s.g, exec.Outputs(nodes...), exec.OnWarning(nil))
	if err != nil {
		return nil, nil, nil, err
	}
	r, err := p.NewSession().Run(ctx, s.feed)
	if err != nil {
		return nil, nil, nil, err
	}
	for i, n := range nodes {
		if i < len(c.Out) && n.DType().String() != c.Out[i].T {
			return nil, nil, nil, fmt.Errorf("result %d is %s, PyTorch's is %s", i, n.DType(), c.Out[i].T)
		}
		a, err := r.Array(n)
		if err != nil {
			return nil, nil, nil, err
		}
		got = append(got, a)
	}
	return got, want, what, nil
}

// unlike says where an array is not PyTorch's.
func unlike(got exec.Array, want sweepArray, tolerance float64) string {
	if !slices.Equal(got.Shape, want.S) {
		return fmt.Sprintf("shape %v, and PyTorch's is %v", got.Shape, want.S)
	}
	tolerance = max(tolerance, map[string]float64{"float16": 4e-3, "bfloat16": 3e-2, "float32": 1e-4}[want.T], 1e-9)
	answer := want.data()
	for i := range want.D {
		x, whole := graph.NumberAt(got.Data, i)
		y, wantWhole := graph.NumberAt(answer, i)
		near := x == y || math.IsNaN(x) && math.IsNaN(y) ||
			math.Abs(x-y) <= tolerance*max(math.Abs(y), 1) && !math.IsInf(y, 0)
		if whole != wantWhole || !near {
			return fmt.Sprintf("element %d is %v, and PyTorch's is %v", i, x, y)
		}
	}
	return ""
}

// TestSweep makes calls of testdata/sweep, of which both give the same results and gradients, or which both refuse; or
// all calls of the file that BROADLOOM_SWEEP names. Where sizes have names, a call may be refused that needs a number,
// but gives nothing else.
func TestSweep(t *testing.T) {
	file, err := os.Open("testdata/sweep/calls.jsonl.gz")
	require.NoError(t, err)
	text, err := gzip.NewReader(file)
	require.NoError(t, err)
	from := io.Reader(text)
	if name := os.Getenv("BROADLOOM_SWEEP"); name != "" {
		from, err = os.Open(name)
		require.NoError(t, err)
	}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<26)
	calls, named := map[string]int{}, 0
	for lines.Scan() {
		var c sweepCall
		d := json.NewDecoder(gostrings.NewReader(lines.Text()))
		d.UseNumber()
		if d.Decode(&c) == io.EOF {
			continue
		}
		args, _ := json.Marshal(c.Args)
		about := fmt.Sprintf("%s%s of %v", c.Op, args, c.In)
		calls[c.Op]++
		got, want, what, err := c.run(t.Context(), false)
		switch {
		case c.Refused != "" && err == nil:
			t.Errorf("%s: PyTorch refuses it: %s", about, c.Refused)
		case c.Refused == "" && err != nil:
			t.Errorf("%s: %v", about, err)
		case c.Refused != "":
			requireNoBug(t, err, about)
		}
		compareSweep(t, about, got, want, what, c.Tol)
		if c.Refused != "" || err != nil {
			continue
		}
		if got, want, what, err = c.run(t.Context(), true); err == nil {
			named++
		}
		requireNoBug(t, err, about)
		compareSweep(t, about+", with names of sizes", got, want, what, c.Tol)
	}
	require.NoError(t, lines.Err())
	if os.Getenv("BROADLOOM_SWEEP") == "" {
		require.Greater(t, len(calls), 300)
		require.Greater(t, named, 1500)
	}
}

// requireNoBug wants an error, if there is one, to be the user's.
func requireNoBug(t *testing.T, err error, about string) {
	t.Helper()
	var bug *exec.BugError
	require.NotErrorAs(t, err, &bug, about)
	if err != nil {
		require.NotContains(t, err.Error(), string(graph.CodeOperation), about)
	}
}

func compareSweep(t *testing.T, about string, got []exec.Array, want []sweepArray, what []string, tolerance float64) {
	t.Helper()
	for i, a := range got[:min(len(got), len(want))] {
		if m := unlike(a, want[i], tolerance); m != "" {
			t.Errorf("%s: %s: %s", about, what[i], m)
			return
		}
	}
}
