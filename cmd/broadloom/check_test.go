package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
)

// sums returns the checksums of the modules that the library needs, as a user's go.sum has them.
func sums(t *testing.T) string {
	text, err := os.ReadFile("../../go.sum")
	require.NoError(t, err)
	return string(text)
}

// userModule makes a module outside of this repository from a map of files.
func userModule(t *testing.T, files map[string]string) {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles programs")
	}
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir := t.TempDir()
	files["go.mod"] = "module example.com/user\n\ngo 1.26.0\n\nrequire github.com/broadloom/broadloom v0.0.0\n\nreplace github.com/broadloom/broadloom => " +
		root + "\n"
	if files["go.sum"] != "" { // it was tidied, and so requires what package ops imports
		own, err := os.ReadFile("../../go.mod")
		require.NoError(t, err)
		for _, module := range regexp.MustCompile(
			`(?:gonum\.org/v1/gonum|gorgonia\.org/vecf32|github\.com/chewxy/math32) v\S+`).FindAllString(string(own),
			-1) {
			files["go.mod"] += "\nrequire " + module + " // indirect\n"
		}
	}
	for name, text := range files {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	t.Chdir(dir)
}

// broadloom runs the command as a user would.
func broadloom(args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = run(args, &out, &errs)
	return status, out.String(), errs.String()
}

const imports = `
import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)
`

const goodModel = `package models
` + imports + `
//broadloom:model
func regression() *graph.Graph {
	g := graph.New("regression")
	batch := g.Dim("batch")
	x := g.Input("x", graph.Float32, batch, 2)
	t := g.Input("t", graph.Float32, batch.FloorDiv(2).Times(2))
	w := g.Param("w", graph.Float32, 2)
	y := ops.Sum(ops.Mul(x, w), 1)
	ops.MSE(y, t)
	return g
}
`

const badModel = `package models
` + imports + `
// Wide adds a bias of the wrong width.
//
//broadloom:model
func Wide() (*graph.Graph, error) {
	g := graph.New("wide")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 4)
	ops.Add(x, g.Param("b", graph.Float32, 3))
	return g, nil
}
`

func TestCheckReportsModelsOfAUsersModule(t *testing.T) {
	userModule(t, map[string]string{"models/good.go": goodModel,
		"models/internal/bad/bad.go": "package bad\n" + badModel[len("package models\n"):]})
	status, stdout, stderr := broadloom("check", "./...")
	require.Equal(t, exitErrors, status, stderr)
	require.Contains(t, stdout, "ok    example.com/user/models.regression\n")
	require.Contains(t, stdout,
		"FAIL  example.com/user/models/internal/bad.Wide\nmodels/internal/bad/bad.go:14:2: error BL101: Add(x, b): The size of tensor a (4) must match")
	require.Contains(t, stdout, "help: declare b as [4] (models/internal/bad/bad.go:14:13)")

	status, stdout, _ = broadloom("check", "-run", "^reg", "./...")
	require.Equal(t, exitOK, status, "the model that fails was not chosen")
	require.NotContains(t, stdout, "Wide")

	status, _, stderr = broadloom("check", "-run", "zzz", "-size", "batch=3", "./...")
	require.Equal(t, exitFailed, status)
	require.Equal(t, "broadloom: -run zzz: no model has a name that matches; there are: regression, Wide\n", stderr)
}

func TestCheckBindsSizes(t *testing.T) {
	userModule(t, map[string]string{"good.go": goodModel})
	status, _, stderr := broadloom("check", "-size", "batch=8")
	require.Equal(t, exitOK, status, stderr)
	status, stdout, _ := broadloom("check", "-size", "batch=7")
	require.Equal(t, exitErrors, status)
	require.Contains(t, stdout, "good.go:16: error BL501: the sizes given do not meet what regression requires: "+
		"batch == 2*floor(batch/2) fails: 7 against 6\n      batch = 7   set explicitly\n      required by ")
	status, _, stderr = broadloom("check", "-size", "bach=7")
	require.Equal(t, exitFailed, status)
	require.Contains(t, stderr, "no model has a size of that name; there are: batch")
}

// Warnings are reported, and fail the check with -strict.
func TestStrictCheck(t *testing.T) {
	userModule(t, map[string]string{"column.go": `package models
` + imports + `
//broadloom:model
func column() *graph.Graph {
	g := graph.New("column")
	n := g.Dim("n")
	ops.Sub(g.Input("x", graph.Float32, n, 1), g.Input("y", graph.Float32, n))
	return g
}
`})
	for _, c := range []struct {
		args    []string
		status  int
		verdict string
	}{{[]string{"check"}, exitOK, "ok  "}, {[]string{"check", "-strict"}, exitErrors, "FAIL"}} {
		status, stdout, stderr := broadloom(c.args...)
		require.Equal(t, c.status, status, stderr)
		require.Contains(t, stdout, c.verdict+"  example.com/user.column\ncolumn.go:12:2: warning BL202: Sub(x, y)")
	}
}

func TestCheckForMachines(t *testing.T) {
	userModule(t, map[string]string{"bad.go": badModel})
	status, stdout, _ := broadloom("check", "-json")
	require.Equal(t, exitErrors, status)
	var out struct{ Models []checked }
	require.NoError(t, json.Unmarshal([]byte(stdout), &out))
	require.Len(t, out.Models, 1)
	require.Equal(t, "Wide", out.Models[0].Model)
	require.EqualValues(t, "BL101", out.Models[0].Report.Errors[0].Code)
	require.Equal(t, 14, out.Models[0].Report.Errors[0].Line)
}

// If a mistake makes a function panic, the mistake is reported first, then where the panic was.
func TestCheckTellsTheMistakesBeforeAPanic(t *testing.T) {
	userModule(t, map[string]string{"strange.go": `package models
` + imports + `
//broadloom:model
func panics() *graph.Graph {
	g := graph.New("g")
	x := g.Input("x", graph.Float32, g.Dim("n"), 8)
	parts := ops.Split(x, 0, 4)
	ops.Add(parts[0], parts[1])
	return g
}
`})
	status, stdout, _ := broadloom("check")
	require.Equal(t, exitFailed, status)
	require.Regexp(
		t,
		`strange.go:12:\d+: error BL122: Split\(x, 0, 4\): the number of results of Split must be known when the graph is built, but axis 0 gives`,
		stdout)
	require.Regexp(t, `(?m)^strange.go:13: error: panics could not be checked: panic: .*index out of range`, stdout)
	_, stdout, _ = broadloom("check", "-json")
	var out struct{ Models []checked }
	require.NoError(t, json.Unmarshal([]byte(stdout), &out))
	require.EqualValues(t, "BL122", out.Models[0].Report.Errors[0].Code)
}

// One model that misbehaves costs a clear message, not the others' reports.
func TestCheckSurvivesModels(t *testing.T) {
	userModule(t, map[string]string{"good.go": goodModel, "strange.go": `package models
` + imports + `
//broadloom:model
func panics() *graph.Graph {
	var sizes []graph.Dim
	return graph.New(ops.Add(nil, nil).Name() + sizes[3].String())
}

//broadloom:model
func hangs() *graph.Graph { select {} }

//broadloom:model
func exits() *graph.Graph { os.Exit(0); return nil }

//broadloom:model
func crashes() *graph.Graph {
	go func() { panic("far away") }()
	select {}
}

//broadloom:model
func none() *graph.Graph { return nil }

//broadloom:model
func noGraph() int { return 0 }
`})
	source, err := os.ReadFile("strange.go")
	require.NoError(t, err)
	source = bytes.Replace(source, []byte("import (\n"), []byte("import (\n\t\"os\"\n\n"), 1)
	require.NoError(t, os.WriteFile("strange.go", source, 0o644))
	status, stdout, stderr := broadloom("check", "-timeout", "1s")
	require.Equal(t, exitFailed, status)
	require.Contains(t, stdout, "ok    example.com/user.regression")
	require.Regexp(t, `panics could not be checked: panic: .*index out of range.*\n +at .*strange.go:13`, stdout)
	require.NotContains(t, stdout, "zzz", "the generated files are no concern of the user's")
	require.Contains(t, stdout, "hangs could not be checked: no result within 1s")
	require.Contains(t, stdout, "exits could not be checked: the program ended: exit status 0")
	require.Regexp(t, `crashes could not be checked: the program ended: exit status 2\npanic: far away`, stdout)
	require.Contains(t, stdout, "none could not be checked: the function returned a nil graph")
	require.Contains(t, stderr, "noGraph is marked as a model: it must be a function without arguments")
}

const calledModels = `package models

import (
	"errors"
	"path/filepath"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Net is a layer.
type Net struct {
	name string
	in, out graph.Dim
}

// NewNet makes a layer.
func NewNet(in, out graph.Dim) *Net { return &Net{"net", in, out} }

// Graph adds a bias as wide as the input.
//
//broadloom:model NewNet(3, 3).Graph(graph.Float32)
//broadloom:model NewNet(3, 64).Graph(graph.Float32) // wide
func (n *Net) Graph(dtype graph.DType) *graph.Graph {
	g := graph.New(n.name)
	x := g.Input("x", dtype, g.Dim("batch"), n.out)
	ops.Add(x, g.Param("b", dtype, n.in))
	return g
}

//broadloom:model classifier(10, filepath.Join("a", "b"))
//broadloom:model classifier(-1, "c")
func classifier(classes int64, name string) (*graph.Graph, error) {
	if classes < 0 || filepath.Base(name) == "a" {
		return nil, errors.New("negative classes")
	}
	return NewNet(graph.Dim(classes), graph.Dim(classes)).Graph(graph.Float32), nil
}

//broadloom:model
func filled(g *graph.Graph) *graph.Node {
	return ops.Exp(g.Input("x", graph.Float32, g.Dim("n"), 2))
}

//broadloom:model
func refused(g *graph.Graph) (*graph.Node, error) {
	return nil, errors.New(g.Name() + " is refused")
}
`

// A mark can have a call, for methods and functions with arguments, and a function can fill a graph.
func TestCheckCallsOfMarks(t *testing.T) {
	userModule(t, map[string]string{"called.go": calledModels})
	status, stdout, stderr := broadloom("check")
	require.Equal(t, exitFailed, status)
	require.Empty(t, stderr)
	require.Contains(t, stdout, "ok    example.com/user.NewNet(3, 3).Graph(graph.Float32)\n")
	require.Contains(t, stdout,
		"FAIL  example.com/user.NewNet(3, 64).Graph(graph.Float32)\ncalled.go:27:2: error BL101: Add(x, b)")
	require.Contains(t, stdout, "ok    example.com/user.classifier(10, filepath.Join(\"a\", \"b\"))\n")
	require.Contains(t, stdout, "called.go:32: error: classifier(-1, \"c\") could not be checked: negative classes")
	require.Contains(t, stdout, "ok    example.com/user.filled\n")
	require.Contains(t, stdout, "refused could not be checked: refused is refused")

	status, stdout, stderr = broadloom("draw", "-run", "^classifier.10", "-format", "dot")
	require.Equal(t, exitOK, status, stderr)
	require.Equal(t, "classifier-10-filepath-Join-a-b.dot\n", stdout)
}

// Mistakes in the call of a mark are reported at the mark.
func TestCheckReportsWrongCallsOfMarks(t *testing.T) {
	source := func(mark string) map[string]string {
		return map[string]string{"wrong.go": "package models\n\nimport \"github.com/broadloom/broadloom/graph\"\n\n" +
			mark +
			"\nfunc net(width int) *graph.Graph { return graph.New(\"net\") }\n\nvar _ = net\n"}
	}
	for mark, message := range map[string]string{
		"//broadloom:model":            "wrong.go:6: net is marked as a model: it must be a function without arguments that returns a *graph.Graph, or one that takes only a *graph.Graph; for others write a call that returns a *graph.Graph in the mark, such as //broadloom:model net(…)",
		"//broadloom:model net(3":      "wrong.go:5: //broadloom:model net(3: the text after the mark must be a call that returns a *graph.Graph, such as classifier(10): missing ','",
		"//broadloom:model net":        "wrong.go:5: //broadloom:model net: the text after the mark must be a call that returns a *graph.Graph, such as classifier(10): this is not a call",
		"//broadloom:model net(\"\")":  `wrong.go:5:23: cannot use "" (untyped string constant) as int value in argument to net`,
		"//broadloom:model nett(3)":    "wrong.go:5:19: undefined: nett",
		"//broadloom:model len(\"x\")": "wrong.go:5:19: cannot use len(\"x\")",
	} {
		t.Run(mark, func(t *testing.T) {
			userModule(t, source(mark))
			status, _, stderr := broadloom("check")
			require.Equal(t, exitFailed, status)
			require.Contains(t, stderr, message)
		})
	}
}

// A main package can hold models too: its main function is not run.
func TestCheckMainPackage(t *testing.T) {
	userModule(t, map[string]string{"main.go": `package main
` + imports + `
func main() { panic("not to be run") }

//broadloom:model
func model() *graph.Graph {
	g := graph.New("m")
	ops.Exp(g.Input("x", graph.Float32, 3))
	return g
}
`})
	status, stdout, stderr := broadloom("check")
	require.Equal(t, exitOK, status, stderr)
	require.Contains(t, stdout, "ok    example.com/user.model")
}

func TestCheckThatCannotRun(t *testing.T) {
	userModule(t, map[string]string{"empty.go": "package models\n",
		"broken/broken.go": "package broken\n" + goodModel[len("package models\n"):] + "var x int = nil\n"})
	status, _, stderr := broadloom("check")
	require.Equal(t, exitFailed, status)
	require.Contains(t, stderr, "no models were found")
	status, _, stderr = broadloom("check", "./broken")
	require.Equal(t, exitFailed, status)
	require.Contains(t, stderr, "does not compile")
	require.Contains(t, stderr, "broken.go:19")
	status, _, stderr = broadloom("check", "./nowhere")
	require.Equal(t, exitFailed, status)
	require.Contains(t, stderr, "nowhere")
	for _, wrong := range [][]string{{"check", "-run", "("}, {"check", "-size", "batch"}, {"chek"}, {}} {
		status, _, stderr = broadloom(wrong...)
		require.Equal(t, exitFailed, status, wrong)
		require.NotEmpty(t, stderr)
	}
}

func TestExplain(t *testing.T) {
	status, stdout, _ := broadloom("explain", "bl101")
	require.Equal(t, exitOK, status)
	require.Contains(t, stdout, "ops.Add(x, y)")
	require.Contains(t, stdout, "Cure: make the sizes equal")
	for _, e := range graph.Explanations() {
		status, stdout, stderr := broadloom("explain", string(e.Code))
		require.Equal(t, exitOK, status, stderr)
		require.Contains(t, stdout, string(e.Code)+"\n\n"+e.Meaning)
		require.Regexp(t, `\nExample:\n\n\t\S`, stdout)
		require.Regexp(t, `\nCure: \S`, stdout)
	}
	status, stdout, _ = broadloom("explain")
	require.Equal(t, exitOK, status)
	require.Contains(t, stdout, "BL303  An operand shares memory with the destination, at other positions")
	status, _, stderr := broadloom("explain", "BL999")
	require.Equal(t, exitFailed, status)
	require.Contains(t, stderr, "BL999")
}

func FuzzSizes(f *testing.F) {
	for _, text := range []string{"batch=8", "h=1, w=2", "=", "a=-1", "a=9223372036854775808", "a=1,a=2", "a=1=2", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := sizes{}
		if s.Set(text) == nil {
			for name, n := range s {
				require.NotEmpty(t, name)
				require.GreaterOrEqual(t, n, int64(0))
			}
			require.NotEmpty(t, s)
		}
	})
}

// The project's own programs with mistakes are models like any other.
func TestCheckOfThisRepository(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program")
	}
	status, stdout, stderr := broadloom("check", "-run", "^(Bias|Halved)$", "../../shapeinfer/testdata/mistakes")
	require.Equal(t, exitErrors, status, stderr)
	require.Contains(t, stdout, "error BL101: Add(xw, b1)")
	require.Contains(t, stdout, "note BL401: Add(y, AvgPool2D(x, 2, 2))")

	status, stdout, stderr = broadloom("check", "-strict", "../../examples/...")
	require.Equal(t, exitOK, status, stderr+stdout)
}
