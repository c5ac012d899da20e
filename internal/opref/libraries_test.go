package opref

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// judges are the interpreters that know libraries, by the variable that names them.
var judges = map[string][]string{
	"BROADLOOM_PYTHON":     {"torch"},
	"BROADLOOM_XLA_PYTHON": {"numpy", "jax", "onnx"},
}

// TestLibraries asks the libraries about the rows that name their functions: whether each name is one of theirs, and
// whether the call that testdata/calls has for it, on the operands of the row's example, gives the example's numbers.
func TestLibraries(t *testing.T) {
	for variable, libraries := range judges {
		for _, library := range libraries {
			t.Run(library, func(t *testing.T) {
				t.Parallel()
				python := os.Getenv(variable)
				if python == "" {
					t.Skipf("%s names no Python with %s", variable, library)
				}
				askLibrary(t, python, library)
			})
		}
	}
}

// question is what a library is asked about a row.
type question struct {
	Row   string   `json:"row"`
	Names []string `json:"names"`
	Call  string   `json:"call"` // in Python, on operands by their names
	Tries []tried  `json:"tries"`
	of    ops.Function
}

// tried is one run of an example.
type tried struct {
	In  map[string]array `json:"in"`
	Out []array          `json:"out"`
}

// array is a value as Python reads it: numbers as texts, since some are NaN.
type array struct {
	DType string   `json:"dtype"`
	Shape []int    `json:"shape"`
	Data  []string `json:"data"`
}

// TestCallsOfLibraries expects a call for each name of a library that a row has, or a reason for none, and each call to
// be one of a function that the row names.
func TestCallsOfLibraries(t *testing.T) {
	for _, library := range []string{"torch", "numpy", "jax"} {
		for _, q := range questions(t, library) {
			assertNamed(t, q)
		}
	}
}

// questions are those about all rows that name a function of a library.
func questions(t *testing.T, library string) (list []question) {
	calls, err := CallsIn(library)
	require.NoError(t, err)
	for _, c := range calls {
		list = append(list, question{Row: c.Row, Names: c.Names, Call: c.Text, of: c.Of})
	}
	return list
}

func askLibrary(t *testing.T, python, library string) {
	var in bytes.Buffer
	for _, q := range questions(t, library) {
		if q.Call != "" {
			q.Tries = tries(t, q.of)
		}
		require.NoError(t, json.NewEncoder(&in).Encode(q))
	}
	out := judge(t, python, &in, library)
	answers := bufio.NewScanner(bytes.NewReader(out))
	compared := 0
	for answers.Scan() {
		if n, ok := strings.CutPrefix(answers.Text(), "compared "); ok {
			var err error
			compared, err = strconv.Atoi(n)
			require.NoError(t, err)
			continue
		}
		t.Error(answers.Text())
	}
	t.Logf("%s: the numbers of %d rows compared", library, compared)
}

// judge runs testdata/libraries.py, and returns what it writes.
func judge(t *testing.T, python string, in io.Reader, args ...string) []byte {
	program, err := filepath.Abs(filepath.Join("testdata", "libraries.py"))
	require.NoError(t, err)
	cmd := osexec.CommandContext(t.Context(), python, append([]string{program}, args...)...)
	cmd.Stdin, cmd.Stderr = in, os.Stderr
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 77 {
		t.Skipf("%s lacks %s", python, args[0])
	}
	require.NoError(t, err)
	return out
}

// assertNamed expects the call of a row to be one of a function that the row names.
func assertNamed(t *testing.T, q question) {
	if q.Call == "" {
		return
	}
	for _, name := range q.Names {
		last := name[strings.LastIndexByte(name, '.')+1:]
		if strings.Contains(q.Call, last) || last == "__getitem__" && strings.Contains(q.Call, "[") {
			return
		}
	}
	t.Errorf("the call of %s, %s, is of none of %v", q.Row, q.Call, q.Names)
}

// tries runs a row's example on numbers that every operation takes, and on such as some refuse.
func tries(t *testing.T, f ops.Function) (list []tried) {
	n, e, err := shown(f)
	require.NoError(t, err)
	for kind := range 3 {
		in, out, err := runExample(t, results(n, e), kind)
		if err != nil {
			require.NotZero(t, kind, "%s: %s", f.Name, err)
			continue
		}
		list = append(list, tried{in, out})
	}
	return list
}

// runExample runs an example, and returns its operands, sizes and results.
func runExample(t *testing.T, wanted []*graph.Node, kind int) (in map[string]array, out []array, err error) {
	g := wanted[0].Graph()
	prog, err := exec.Compile(g, exec.Outputs(wanted...), exec.OnWarning(nil))
	require.NoError(t, err)
	feed, options := fed(t, g, kind, rand.New(rand.NewPCG(7, uint64(kind))))
	results, err := prog.NewSession(options...).Run(t.Context(), feed)
	if err != nil {
		return nil, nil, err
	}
	in = map[string]array{}
	for x, v := range feed {
		in[x.Name()] = written(x.DType(), v.(exec.Array))
	}
	for _, name := range g.DimNames() {
		in[name] = array{DType: "size", Data: []string{fmt.Sprint(sizeOf(name))}}
	}
	for _, n := range wanted {
		a, err := results.Array(n)
		require.NoError(t, err)
		out = append(out, written(n.DType(), a))
	}
	return in, out, nil
}

// sizeOf is the size that a name has in runs: most names have different ones.
func sizeOf(name string) int64 {
	if v, known := map[string]int64{"n": 3, "k": 4, "m": 5, "c": 2, "s": 2, "t": 6}[name]; known {
		return v
	}
	return 3
}

// fed are numbers for all operands of an example, and the sizes of its names.
func fed(t *testing.T, g *graph.Graph, kind int, random *rand.Rand) (feed exec.Feed, options []exec.SessionOption) {
	return fedAt(t, g, kind, random, sizeOf)
}

func fedAt(t *testing.T, g *graph.Graph, kind int, random *rand.Rand, sizeOf func(name string) int64) (feed exec.Feed,
	options []exec.SessionOption) {
	feed = exec.Feed{}
	for _, x := range g.Inputs() {
		count, shape := 1, make([]int, x.Rank())
		for i, d := range x.Shape() {
			v, err := d.Eval(func(name string) (int64, bool) { return sizeOf(name), true })
			require.NoError(t, err)
			shape[i] = int(v)
			count *= int(v)
		}
		feed[x] = exec.Array{Shape: shape, Data: drawn(random, x, count, shape, kind)}
	}
	for _, name := range g.DimNames() {
		options = append(options, exec.Size(name, int(sizeOf(name))))
	}
	return feed, options
}

// fitting are the numbers of operands that may not be any: by the names of operands, and the place of an element.
var fitting = map[string]func(i int) float64{
	"edges": rising, "boundaries": rising, "sorted": rising,
	"targets": func(i int) float64 { return float64(1 + i%3) }, // of CTC: class 0 is the blank
	// of a zeta function, which is endless from 1 down
	"order": func(i int) float64 { return 1.5 + float64(i) },
	// PyTorch reads outside of its operand where they are not from 0 to 1
	"samples":       func(i int) float64 { return float64(i%8) / 8 },
	"inputLengths":  func(int) float64 { return 3 },
	"targetLengths": func(i int) float64 { return float64(1 + i%2) },
}

func rising(i int) float64 { return float64(i)/4 - 0.5 }

// shares is the kind of numbers of which floats lie between 0 and 1.
const shares = 3

// drawn are the numbers of an operand: those of [values], such with random floats of both signs, or integers of both
// signs too.
func drawn(random *rand.Rand, x *graph.Node, count int, shape []int, kind int) any {
	t := x.DType()
	numbers := make([]float64, count)
	if fit := fitting[x.Name()]; fit != nil {
		for i := range numbers {
			numbers[i] = fit(i)
		}
		return reference.FromFloats(t, numbers, shape...).Data
	}
	if kind == 0 || (kind == 1 || kind == shares) && !t.IsFloat() || t == graph.Bool {
		return values(t, count, shape)
	}
	for i := range numbers {
		switch {
		case kind == shares:
			numbers[i] = 0.1 + 0.8*random.Float64()
		case t.IsFloat():
			numbers[i] = math.Round(random.NormFloat64()*4096) / 4096
		case t.IsUnsigned():
			numbers[i] = float64(random.IntN(8))
		default:
			numbers[i] = float64(random.IntN(12) - 5)
		}
	}
	return reference.FromFloats(t, numbers, shape...).Data
}

// written is a value as Python reads it.
func written(t graph.DType, v exec.Array) array {
	a := array{DType: t.String(), Shape: v.Shape, Data: []string{}}
	_, count := graph.DTypeOfSlice(v.Data)
	for i := range count {
		x, whole := graph.NumberAt(v.Data, i)
		if t.IsFloat() {
			a.Data = append(a.Data, strconv.FormatFloat(x, 'g', -1, 64))
		} else {
			a.Data = append(a.Data, fmt.Sprint(whole))
		}
	}
	return a
}
