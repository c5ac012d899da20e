package exec_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

type endless []endless

// TestListsThatNoInputTakes are errors, whatever they hold.
func TestListsThatNoInputTakes(t *testing.T) {
	g := graph.New("lists")
	x := g.Input("x", graph.Float32, g.Dim("rows", graph.AtLeast(0)), g.Dim("columns", graph.AtLeast(0)))
	prog, err := exec.Compile(g, exec.Outputs(ops.Sum(x, ops.AllAxes())))
	require.NoError(t, err)
	s := prog.NewSession()
	circle := make(endless, 1)
	circle[0] = circle
	for name, c := range map[string]struct {
		x    any
		want string
	}{
		"a list of itself":   {circle, "input x: lists are nested more than 64 deep"},
		"lists of anything":  {[][]any{{1, 2}}, "its data is []interface {}, not a slice of a dtype"},
		"strings":            {[2][1]string{}, "its data is []string, not a slice of a dtype"},
		"one level too many": {[][][]float32{{{1}}}, "x"},
		"other elements":     {[][]float64{{1}}, "input x needs dtype float32, got float64"},
		"ragged below": {[][2][]float32{{{1}, {1}}, {{1}, {1, 2}}},
			"input x: the list at [1 1] has 2 elements, but the first one at its level has 1"},
	} {
		_, err := s.Run(t.Context(), exec.Feed{x: c.x})
		require.ErrorContains(t, err, c.want, name)
	}
	for _, empty := range []any{[0][5]float32{}, [1 << 30][0]float32{}, make([][0]float32, 1<<30),
		[][]float32{{}, {}}} {
		_, err := s.Run(t.Context(), exec.Feed{x: empty})
		require.NoError(t, err)
	}
}

// TestNestedListsTakeNoMemoryOfTheirSize from run to run, and are copied.
func TestNestedListsTakeNoMemoryOfTheirSize(t *testing.T) {
	g := graph.New("nested")
	x := g.Input("x", graph.Float32, g.Dim("rows"), g.Dim("columns"))
	prog, err := exec.Compile(g, exec.Outputs(ops.Neg(x)))
	require.NoError(t, err)
	s := prog.NewSession()
	rows := make([][]float32, 1000)
	for i := range rows {
		rows[i] = make([]float32, 10)
	}
	feed := exec.Feed{x: rows}
	require.Less(t, testing.AllocsPerRun(5, func() {
		if _, err := s.Run(t.Context(), feed); err != nil {
			t.Error(err)
		}
	}), 12.0)
}

func BenchmarkNestedFeed(b *testing.B) {
	g := graph.New("nested")
	x := g.Input("x", graph.Float32, g.Dim("rows"), 784)
	prog, err := exec.Compile(g, exec.Outputs(ops.Select(ops.Select(x, 1, 0), 0, 0)))
	require.NoError(b, err)
	s := prog.NewSession()
	rows := make([][]float32, 64)
	for i := range rows {
		rows[i] = make([]float32, 784)
	}
	feed := exec.Feed{x: rows}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Run(b.Context(), feed); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzFeeding feeds lists of all forms: a run takes the elements in their order, or says why it does not.
func FuzzFeeding(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, a, b uint64) {
		rng := rand.New(rand.NewPCG(a, b))
		v, flat, ragged := anyList(rng, 1+rng.IntN(3))
		g := graph.New("fed")
		dims := make([]graph.Dim, 1+rng.IntN(3))
		for i := range dims {
			if dims[i] = graph.Dim(rng.IntN(4)); rng.IntN(2) == 0 {
				dims[i] = g.Dim(string(rune('a'+i)), graph.AtLeast(0))
			}
		}
		x := g.Input("x", graph.Int64, dims...)
		y := ops.Neg(x)
		prog, err := exec.Compile(g, exec.Outputs(y))
		require.NoError(t, err)
		s := prog.NewSession()
		for range 2 { // the second run has the memory of the first
			r, err := s.Run(t.Context(), exec.Feed{x: v.Interface()})
			if err != nil {
				require.NotContains(t, err.Error(), "bug")
				return
			}
			require.False(t, ragged, "%v", v)
			got, err := r.Array(y)
			require.NoError(t, err)
			for i, n := range got.Data.([]int64) {
				require.Equal(t, -flat[i], n)
			}
			require.Len(t, flat, len(got.Data.([]int64)))
		}
	})
}

type number int64

// anyList makes nested slices and arrays of numbers, and lists the numbers.
func anyList(rng *rand.Rand, levels int) (v reflect.Value, flat []int64, ragged bool) {
	typ := []reflect.Type{reflect.TypeFor[int64](), reflect.TypeFor[int](), reflect.TypeFor[number]()}[rng.IntN(3)]
	sizes := make([]int, levels)
	for i := range sizes {
		sizes[i] = rng.IntN(4)
		if typ = reflect.SliceOf(typ); rng.IntN(3) == 0 {
			typ = reflect.ArrayOf(sizes[i], typ.Elem())
		}
	}
	var fill func(v reflect.Value, level int)
	fill = func(v reflect.Value, level int) {
		if v.Kind() == reflect.Int || v.Kind() == reflect.Int64 {
			v.SetInt(int64(len(flat) + 1))
			flat = append(flat, v.Int())
			return
		}
		if v.Kind() == reflect.Slice {
			size := sizes[level]
			if level < levels-1 && rng.IntN(20) == 0 {
				size++
			}
			v.Set(reflect.MakeSlice(v.Type(), size, size))
		}
		for i := range v.Len() {
			fill(v.Index(i), level-1)
		}
	}
	v = reflect.New(typ).Elem()
	fill(v, levels-1)
	return v, flat, isRagged(v, 0, map[int]int{})
}

// isRagged reports whether lists of one level differ in length; sizes are those of levels seen before.
func isRagged(v reflect.Value, level int, sizes map[int]int) bool {
	if v.Kind() != reflect.Slice && v.Kind() != reflect.Array {
		return false
	}
	if size, known := sizes[level]; known && size != v.Len() {
		return true
	}
	sizes[level] = v.Len()
	for i := range v.Len() {
		if isRagged(v.Index(i), level+1, sizes) {
			return true
		}
	}
	return false
}
