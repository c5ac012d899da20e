package opref

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
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

// TestLibraries asks the libraries about the rows that name their functions: whether each name is one of theirs, and whether
// the call that testdata/calls has for it, on the operands of the row's example, gives the example's numbers.
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

// TestCallsOfLibraries expects a call for each name of a library that a row has, or a reason for none.
func TestCallsOfLibraries(t *testing.T) {
	for _, library := range []string{"torch", "numpy", "jax"} {
		questions(t, library)
	}
}

// questions are those about all rows that name a function of a library.
func questions(t *testing.T, library string) (list []question) {
	calls := readCalls(t, library)
	for i, f := range ops.Functions() {
		q := question{Row: rowName(f, i), Names: namesIn(f.Names, library), of: f}
		call, known := calls[q.Row]
		delete(calls, q.Row)
		switch {
		case len(q.Names) == 0:
			assert.False(t, known, "testdata/calls/%s.txt has a call for %s, which names no function of that library", library, q.Row)
			continue
		case library == "onnx" || strings.HasPrefix(call, "-"):
		case !known:
			args, plain := plainArgs(t, f)
			assert.True(t, plain, "testdata/calls/%s.txt has neither a call for %s, such as %s, nor a reason for none", library, q.Row, q.Names[0])
			q.Call = q.Names[0] + args
		default:
			q.Call = call
			assertNamed(t, q)
		}
		list = append(list, q)
	}
	assert.Empty(t, calls, "calls in testdata/calls/%s.txt that belong to no row", library)
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
	program, err := filepath.Abs(filepath.Join("testdata", "libraries.py"))
	require.NoError(t, err)
	cmd := osexec.CommandContext(t.Context(), python, program, library)
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 77 {
		t.Skipf("%s lacks %s", python, library)
	}
	require.NoError(t, err)
	answers := bufio.NewScanner(bytes.NewReader(out))
	compared := 0
	for answers.Scan() {
		if n, ok := strings.CutPrefix(answers.Text(), "compared "); ok {
			compared, err = strconv.Atoi(n)
			require.NoError(t, err)
			continue
		}
		t.Error(answers.Text())
	}
	t.Logf("%s: the numbers of %d rows compared", library, compared)
}

// rowName is the name of a row; the second of two rows of one name has an index of its own.
func rowName(f ops.Function, i int) string {
	if list := ops.Functions(); i > 0 && list[i-1].Name == f.Name {
		return f.Name + "#2"
	}
	return f.Name
}

// namesIn are the functions of a library that a row names.
func namesIn(n graph.Names, library string) []string {
	text := map[string]string{"numpy": n.NumPy, "torch": n.PyTorch, "jax": n.JAX, "onnx": n.ONNX}[library]
	if text == "" {
		return nil
	}
	return strings.Split(text, ", ")
}

// operandsOnly is a call whose arguments are operands.
var operandsOnly = regexp.MustCompile(`^\w+(\((?:[a-z]\w*(?:, )?)+\))$`)

// plainArgs are the arguments of a row's call, where they are operands alone.
func plainArgs(t *testing.T, f ops.Function) (string, bool) {
	r, err := Of(f)
	require.NoError(t, err)
	match := operandsOnly.FindStringSubmatch(r.Call)
	if match == nil {
		return "", false
	}
	return match[1], true
}

// assertNamed expects the call of a row to be one of a function that the row names.
func assertNamed(t *testing.T, q question) {
	for _, name := range q.Names {
		last := name[strings.LastIndexByte(name, '.')+1:]
		if strings.Contains(q.Call, last) || last == "__getitem__" && strings.Contains(q.Call, "[") {
			return
		}
	}
	t.Errorf("the call of %s, %s, is of none of %v", q.Row, q.Call, q.Names)
}

// readCalls reads a table of calls: "Row: call", or "Row: - reason" where numbers cannot be compared.
func readCalls(t *testing.T, library string) map[string]string {
	calls := map[string]string{}
	text, err := os.ReadFile(filepath.Join("testdata", "calls", library+".txt"))
	if os.IsNotExist(err) {
		return calls
	}
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		row, call, ok := strings.Cut(line, ": ")
		require.True(t, ok, line)
		calls[row] = strings.TrimSpace(call)
	}
	return calls
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

func fedAt(t *testing.T, g *graph.Graph, kind int, random *rand.Rand, sizeOf func(name string) int64) (feed exec.Feed, options []exec.SessionOption) {
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
	"targets":       func(i int) float64 { return float64(1 + i%3) }, // of CTC: class 0 is the blank
	"order":         func(i int) float64 { return 1.5 + float64(i) }, // of a zeta function, which is endless from 1 down
	"samples":       func(i int) float64 { return float64(i%8) / 8 }, // PyTorch reads outside of its operand where they are not from 0 to 1
	"inputLengths":  func(int) float64 { return 3 },
	"targetLengths": func(i int) float64 { return float64(1 + i%2) },
}

func rising(i int) float64 { return float64(i)/4 - 0.5 }

// shares is the kind of numbers of which floats lie between 0 and 1.
const shares = 3

// drawn are the numbers of an operand: those of [values], such with random floats of both signs, or integers of both signs too.
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
