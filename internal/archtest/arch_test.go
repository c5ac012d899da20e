package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	module   = "github.com/broadloom/broadloom"
	maxLines = 400 // of a file that people write
)

// arrows says what packages may import besides the standard library: packages of this
// module by their paths below it, others by their full paths. "p/..." stands for p and
// what lies below it; the first row that fits a package counts.
var arrows = []struct {
	pkg     string
	imports string
	because string
}{
	{"half", "math strconv", "numbers of 16 bits, on the standard library alone"},
	{"graph/symbolic", "", "sizes know no graph"},
	{"graph", "graph/symbolic half internal/building internal/panicked internal/overlay internal/syntax internal/workdir",
		"the program itself knows neither rules nor operations nor machines"},
	{"internal/prove", "graph internal/diophantine", "what can be proved of sizes"},
	{"shapeinfer/alias", "graph internal/prove", "which values share memory, and who writes it"},
	{"shapeinfer/rules", "graph internal/prove shapeinfer/alias", "rules are functions on shapes"},
	{"shapeinfer/axisflow", "graph internal/prove shapeinfer/alias", "what becomes of axes in a program"},
	{"shapeinfer/shapetest", "graph shapeinfer", "checks in the tests of users"},
	{"shapeinfer/axislint", "graph shapeinfer/axisflow", "axes that are right in size and wrong in kind"},
	{
		"shapeinfer",
		"graph internal/ancestors internal/prove internal/diophantine internal/panicked shapeinfer/alias shapeinfer/axisflow shapeinfer/axislint shapeinfer/rules",
		"the check of whole graphs"},
	{"contract", "graph internal/prove", "what is promised of shapes is proved, and no rule of an operation"},
	{"internal/results", "graph", "what Go functions leave as their results"},
	{"internal/loopop", "graph internal/ancestors shapeinfer/rules", "the operations that loops are made of"},
	{"internal/ancestors", "graph", "what a value is computed from, whoever asks"},
	{"internal/composite", "graph internal/panicked internal/prove",
		"who writes a composite, whatever for, asks the same of its Expand"},
	{"internal/nodecopy", "graph", "nodes once more, whatever for"},
	{"internal/scores", "graph shapeinfer/alias", "what attention multiplies is told from layers by shapes alone"},
	{"ops/internal/chebyshev", "", "numbers alone"},
	{"ops/internal/dense",
		"gonum.org/v1/gonum/blas/... gonum.org/v1/gonum/blas gonum.org/v1/gonum/lapack/... kernels/gemm kernels/triangular",
		"LAPACK knows no graph"},
	{
		"ops",
		"graph contract internal/composite internal/panicked internal/prove internal/results internal/loopop internal/nodecopy shapeinfer/rules shapeinfer/alias ops/internal/... kernels/depthwise kernels/fourier kernels/gather kernels/triangular",
		"operations are built from rules, and some are functions of whole images and signals"},
	{"internal/gradcut", "graph ops", "where no gradient flows"},
	{
		"autodiff",
		"graph internal/blockwise internal/composite internal/gradcut internal/loopop internal/nodecopy internal/prove internal/panicked internal/scores shapeinfer/rules shapeinfer/alias ops",
		"gradients are nodes made by operations"},
	{"autodiff/gradcheck", "graph ops autodiff exec", "a check runs what it compares"},
	{"exec/internal/bug", "graph internal/panicked", "what passes and runs do wrong"},
	{"exec/internal/analysis", "graph ops shapeinfer/alias exec/internal/bug", "facts of nodes: it knows no program"},
	{"exec/internal/rewrite",
		"graph internal/composite internal/prove internal/loopop internal/nibbles internal/scores shapeinfer/... ops exec/internal/bug exec/internal/analysis",
		"from graph to graph: it knows no machine"},
	{"exec/internal/scoreaxes",
		"graph internal/scores shapeinfer/alias ops exec/internal/analysis exec/internal/rewrite",
		"a pass of several steps, which know no other one"},
	{"exec/internal/outline",
		"graph internal/prove internal/loopop shapeinfer/alias ops exec/internal/analysis exec/internal/rewrite",
		"from loops to programs of their bodies"},
	{"exec/internal/claims", "graph internal/panicked ops",
		"what operations claim, tried by an evaluator that it is given"},
	{"exec/internal/fusion",
		"graph internal/prove shapeinfer/alias exec/internal/bug exec/internal/analysis exec/internal/rewrite exec/internal/outline",
		"from nodes to groups: it knows no machine"},
	{"exec/internal/lower",
		"graph internal/scores shapeinfer/... exec/internal/bug exec/internal/analysis exec/internal/rewrite exec/internal/outline exec/internal/fusion " +
			"kernels/rowprog kernels/backend kernels/gemm", "from groups to kernels and buffers"},
	{"exec/internal/memory", "graph half gorgonia.org/tensor", "what is fed, as elements"},
	{"exec/internal/params", "graph exec/internal/bug exec/internal/memory exec/internal/placement kernels/hugepage",
		"values that outlast programs"},
	{"exec/internal/placement", "kernels/hugepage", "blocks of bytes and times: it knows no buffers"},
	{"exec/internal/interval", "half kernels/rowprog", "arithmetic of row programs on bounds"},
	{"exec/internal/pool", "exec/internal/bug kernels/clock kernels/cpu", "threads know no kernels"},
	{"exec/internal/engine",
		"graph shapeinfer exec/internal/bug exec/internal/memory exec/internal/params exec/internal/pool exec/internal/placement exec/internal/interval exec/internal/rewrite exec/internal/outline exec/internal/fusion exec/internal/lower internal/panicked internal/results kernels/...",
		"from sizes to runs"},
	{
		"exec",
		"graph half shapeinfer shapeinfer/alias ops autodiff exec/internal/... internal/loopop kernels/clock kernels/cpu kernels/hugepage kernels/peak internal/page gorgonia.org/tensor",
		"the face of compilation and runs"},
	{"kernels/internal/loops", "half kernels/... gorgonia.org/vecf32", "loops of a library, where they are right"},
	{"kernels/jit", "golang.org/x/sys/unix golang.org/x/sys/windows", "memory that holds code is the system's"},
	{"kernels/...", "half kernels/...", "loops over memory know no graph"},
	{"internal/nibbles", "graph", "bytes of two integers are found from what operations compute"},
	{"internal/translate", "graph internal/loopop internal/panicked", "the order in which nodes are written in any language"},
	{"onnx/internal/wire", "google.golang.org/protobuf/encoding/protowire", "messages of files know no graph"},
	{"onnx/internal/export",
		"graph internal/ancestors internal/arrayforms internal/nibbles internal/translate ops shapeinfer shapeinfer/alias onnx/internal/wire",
		"another engine's language knows none of this machine's"},
	{"onnx/internal/importer", "graph ops exec internal/prove internal/raw onnx/internal/wire",
		"nodes of files become nodes of graphs, and constants are computed"},
	{"onnx", "graph exec internal/atomicfile internal/mapped shapeinfer onnx/internal/...", "sessions and files"},
	{"internal/testkit/python", "internal/testkit/reference github.com/stretchr/testify/require",
		"a process that knows no engine"},
	{"internal/testkit/onnxrt",
		"internal/testkit/python internal/testkit/reference github.com/stretchr/testify/require",
		"another engine judges what is exported"},
	{
		"stablehlo",
		"graph internal/ancestors half internal/arrayforms internal/translate ops shapeinfer shapeinfer/alias exec weights",
		"another engine's language knows none of this machine's"},
	{"viz/svg", "github.com/goccy/go-graphviz github.com/awalterschulze/gographviz",
		"only its users pay for WebAssembly"},
	{"viz", "graph shapeinfer/... exec internal/page github.com/awalterschulze/gographviz/ast",
		"pictures of what was decided"},
	{"internal/blockwise", "graph half", "weights in 8 or 4 bits, which layers declare and files are loaded into"},
	{"nn", "graph contract internal/blockwise ops autodiff",
		"layers are functions of nodes, some with gradients of their own"},
	{"optim", "graph internal/ancestors internal/blockwise internal/nodecopy internal/gradcut ops autodiff",
		"update rules are functions of nodes"},
	{"optim/lbfgs", "graph exec gonum.org/v1/gonum/floats", "a loop around a compiled program"},
	{"internal/atomicfile", "", "files that are whole or not there"},
	{"internal/mapped", "golang.org/x/sys/unix", "memory that holds files is the system's"},
	{"internal/raw", "half", "elements in files know no graph"},
	{"weights/internal/...", "half internal/raw", "formats of files know no graph"},
	{"weights", "graph half exec internal/atomicfile internal/blockwise internal/mapped internal/raw weights/internal/...",
		"sessions and files"},
	{"reach/launch", "", "processes and files know no graph"},
	{"reach", "graph internal/ancestors internal/prove shapeinfer shapeinfer/axisflow exec stablehlo",
		"what is divided over devices is checked and told; XLA computes it"},
	{"train", "graph exec optim weights", "a loop around a compiled program"},
	{"train/metric", "", "measures of slices"},
	{"train/progress", "train github.com/schollz/progressbar/v3 golang.org/x/term", "only its users link terminals"},
	{"train/curve", "train gonum.org/v1/plot gonum.org/v1/plot/...", "only its users link what draws"},
	{"train/watch", "graph exec train viz", "only its users link servers and pictures"},
	{"train/data", "graph half internal/panicked exec weights golang.org/x/image/draw",
		"files and batches know no training"},
	{"internal/diophantine", "", "arithmetic"},
	{"internal/page", "graph shapeinfer/...", "it is written by exec, which viz may not be asked by"},
	{"internal/testkit/reference", "graph shapeinfer/... ops", "the reference must not share code with what it judges"},
	{"internal/difftest/eager", "", "it shares no code with what it judges"},
	{"internal/difftest/language", "graph ops autodiff exec internal/difftest",
		"programs of examples are compared with themselves"},
	{"internal/difftest/cmd", "internal/difftest internal/difftest/language kernels/cpu",
		"the command runs what the package does, with the instructions that there are"},
	{"internal/difftest", "graph half shapeinfer/... ops autodiff exec optim internal/difftest/eager",
		"programs as data become graphs"},
	{"internal/crosscheck", "golang.org/x/tools/go/packages", "types for other systems"},
	{"internal/panicked", "", "the stack of a panic"},
	{"internal/workdir", "", "the directory to which places in messages are relative"},
	{"internal/building", "", "the graphs that a function makes before it gives one"},
	{"internal/overlay", "", "names of files"},
	{"internal/syntax", "", "syntax trees of the user's source"},
	{"cmd/broadloom/modelrun", "graph internal/building internal/overlay internal/workdir",
		"what runs in the programs of models"},
	{"cmd/broadloom/internal/lsp", "graph shapeinfer internal/syntax cmd/broadloom/... go.lsp.dev/...",
		"the language server protocol"},
	{"internal/opref/gen", "internal/opref", "the command writes what the package makes"},
	{"internal/testkit/xla", "internal/testkit/python internal/testkit/reference reach/launch",
		"another engine judges what is exported"},
	{"internal/testkit/testmodel", "graph nn", "layers for tests of what is around them"},
	{"internal/...", "graph contract shapeinfer/... ops autodiff exec viz nn optim reach internal/testkit/reference",
		"helpers of tests"},
	{"cmd/broadloom/internal/findings",
		"graph shapeinfer cmd/broadloom/internal/models github.com/owenrumney/go-sarif/v3/...",
		"formats of other programs"},
	{"cmd/broadloom/internal/vettool",
		"graph cmd/broadloom/... golang.org/x/tools/go/analysis golang.org/x/tools/go/analysis/...",
		"go vet's protocol"},
	{"cmd/...",
		"graph shapeinfer/... exec viz/... cmd/... onnx reach/... stablehlo weights internal/opref internal/syntax kernels/cpu",
		"commands check, draw and export, print the reference, and tell the instruction set"},
	{"examples/internal/...", "train/data", "what examples share"},
	{
		"examples/...",
		"graph examples/internal/... weights optim/lbfgs contract shapeinfer/... ops autodiff exec viz/... nn optim train train/... gonum.org/v1/gonum/mat gorgonia.org/tensor",
		"users' programs"},
}

// listed is the output of `go list` for a package.
type listed struct {
	ImportPath, Name        string
	Dir, Doc                string
	GoFiles, IgnoredGoFiles []string // for this system, and for others
	Imports                 []string // without those of tests
}

// packages lists the module's packages by their paths below it.
func packages(t *testing.T) map[string]listed {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e",
		"-json=ImportPath,Name,Dir,Doc,GoFiles,IgnoredGoFiles,Imports", "./...")
	cmd.Dir = filepath.Join("..", "..")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	found := map[string]listed{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		found[strings.TrimPrefix(p.ImportPath, module+"/")] = p
	}
	require.Contains(t, found, "graph")
	return found
}

func fits(path, pattern string) bool {
	above, isTree := strings.CutSuffix(pattern, "/...")
	return path == above || isTree && strings.HasPrefix(path, above+"/")
}

// forbidden returns the imports that the rows do not allow, and why.
func forbidden(path string, imports []string) (bad []string, because string) {
	row := slices.IndexFunc(arrows, func(r struct{ pkg, imports, because string }) bool { return fits(path, r.pkg) })
	if row < 0 {
		return imports, "no row of arrows has the package: add one"
	}
	for _, path := range imports {
		first, _, _ := strings.Cut(path, "/")
		if !strings.Contains(first, ".") {
			continue // the standard library
		}
		short := strings.TrimPrefix(path, module+"/")
		allowed := slices.ContainsFunc(strings.Fields(arrows[row].imports), func(p string) bool {
			return fits(short, p)
		})
		if !allowed {
			bad = append(bad, short)
		}
	}
	return bad, arrows[row].because
}

func TestImports(t *testing.T) {
	for path, p := range packages(t) {
		bad, because := forbidden(path, p.Imports)
		assert.Empty(t, bad, "%s must not import these: %s", path, because)
	}
}

// TestInnerPackagesAreUsed expects that what stands in an ordinary package below internal is part of
// the library or of its commands. What only tests use is in test files, or in a folder testkit.
func TestInnerPackagesAreUsed(t *testing.T) {
	all := packages(t)
	used := map[string]bool{}
	for _, p := range all {
		for _, path := range p.Imports {
			used[strings.TrimPrefix(path, module+"/")] = true
		}
	}
	for path, p := range all {
		isInner := strings.HasPrefix(path, "internal/") || strings.Contains(path, "/internal/")
		onlyDoc := slices.Equal(p.GoFiles, []string{"doc.go"})
		if isInner && p.Name != "main" && !onlyDoc && !strings.Contains(path, "internal/testkit/") {
			assert.True(t, used[path], "only tests import %s: give it test files, or a place in internal/testkit", path)
		}
	}
}

func TestForbidden(t *testing.T) {
	for _, c := range []struct {
		path string
		imp  string
		ok   bool
	}{
		{"graph", "fmt", true},
		{"graph", module + "/shapeinfer", false},
		{"graph", "gorgonia.org/tensor", false},
		{"ops", module + "/shapeinfer/rules", true},
		{"ops", module + "/shapeinfer", false},
		{"exec", module + "/kernels/gemm", false},
		{"exec/internal/rewrite", module + "/kernels/rowprog", false},
		{"exec/internal/fusion", module + "/exec/internal/lower", false},
		{"exec/internal/engine", module + "/kernels/gemm", true},
		{"exec", module + "/viz", false},
		{"kernels/gemm", module + "/kernels/scalar", true},
		{"kernels/gemm", module + "/graph", false},
		{"kernels/gemm", "gorgonia.org/vecf32", false},
		{"optim", module + "/exec", false},
		{"util", module + "/graph", false},
	} {
		bad, _ := forbidden(c.path, []string{c.imp})
		assert.Equal(t, c.ok, len(bad) == 0, "%s imports %s", c.path, c.imp)
	}
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	for path, p := range packages(t) {
		if len(p.GoFiles) > 0 {
			assert.NotEmpty(t, p.Doc, "package %s has no comment", path)
		}
	}
}

func TestFilesAreShort(t *testing.T) {
	for _, p := range packages(t) {
		for _, name := range append(p.GoFiles, p.IgnoredGoFiles...) {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file := filepath.Join(p.Dir, name)
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			lines := bytes.Count(text, []byte("\n"))
			if lines <= maxLines {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ParseComments|parser.PackageClauseOnly)
			require.NoError(t, err)
			assert.True(t, ast.IsGenerated(f), "%s has %d lines, more than %d: give each subject a file of its own",
				file, lines, maxLines)
		}
	}
}
