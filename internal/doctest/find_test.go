package doctest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Block is a piece of Go code in a document.
type Block struct {
	File string // of the document
	Line int    // of the fence
	Code string
	// In is the package that the block is part of, as a path below the module; most
	// often none.
	In string
	// Output is what the program prints, if HasOutput.
	Output    string
	HasOutput bool
}

// String returns the block's place.
func (b Block) String() string { return fmt.Sprintf("%s:%d", b.File, b.Line) }

const fence = "```"

// Find lists the blocks of Go code of a document in Markdown.
func Find(file, text string) (blocks []Block, err error) {
	var (
		info  string // of the fence that is open
		start int
		lines []string
		last  *Block // the block that ends right above
	)
	for i, line := range strings.Split(text, "\n") {
		isFence := strings.HasPrefix(line, fence)
		switch {
		case !isFence && start > 0:
			lines = append(lines, line)
		case !isFence:
			if strings.TrimSpace(line) != "" {
				last = nil
			}
		case start == 0:
			info, start, lines = strings.TrimSpace(line[len(fence):]), i+1, nil
		default:
			content := strings.Join(append(lines, ""), "\n")
			language, in, _ := strings.Cut(info, " in=")
			switch {
			case language == "go":
				blocks = append(blocks, Block{File: file, Line: start, Code: content, In: in})
				last = &blocks[len(blocks)-1]
			case language == "text" && last != nil:
				last.Output, last.HasOutput = content, true
				last = nil
			default:
				last = nil
			}
			start = 0
		}
	}
	if start > 0 {
		return nil, fmt.Errorf("%s:%d: the block has no end", file, start)
	}
	return blocks, nil
}

// importPaths are the packages that a block without imports can use, by their names.
var importPaths = map[string]string{
	"context": "context", "fmt": "fmt", "io": "io", "log": "log", "math": "math", "os": "os",
	"tensor": "gorgonia.org/tensor",
}

func init() {
	for _, p := range []string{"graph", "shapeinfer", "ops", "autodiff", "exec", "viz", "nn", "contract", "optim",
		"reach", "viz/svg", "weights", "exec/internal/analysis"} {
		importPaths[p[strings.LastIndex(p, "/")+1:]] = "github.com/broadloom/broadloom/" + p
	}
}

// modelMark stands above functions that make a model, which modelOf finds.
const modelMark = "//broadloom:model"

var modelOf = regexp.MustCompile(`(?m)^` + modelMark + `\nfunc (\w+)\(`)

// Source returns the block as a file of a package: one of the given name, and for one with a
// main function, that function as Main. A block of models has a Main that prints what the
// check of each says. tests names its tests, where it has no main function.
func (b Block) Source(pkg string) (source string, tests []string, hasMain bool, err error) {
	code := b.Code
	if !hasPackageClause(code) {
		code = wrap(code, b.In != "")
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, b.String(), code, parser.SkipObjectResolution)
	if err != nil {
		return "", nil, false, err
	}
	edits := map[*ast.Ident]string{f.Name: pkg}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		switch {
		case !ok || fn.Recv != nil:
		case fn.Name.Name == "main":
			edits[fn.Name], hasMain = "Main", true
		case strings.HasPrefix(fn.Name.Name, "Test"):
			tests = append(tests, fn.Name.Name)
		}
	}
	// Lines stay as they are: documents show them in messages.
	idents := slices.SortedFunc(maps.Keys(edits), func(a, b *ast.Ident) int { return int(b.Pos() - a.Pos()) })
	for _, id := range idents {
		from, to := fset.Position(id.Pos()).Offset, fset.Position(id.End()).Offset
		code = code[:from] + edits[id] + code[to:]
	}
	if models := modelOf.FindAllStringSubmatch(b.Code, -1); len(models) > 0 && !hasPackageClause(b.Code) {
		code, hasMain = code+checks(models), true
	}
	return code, tests, hasMain, nil
}

// checks returns a Main that checks models.
func checks(models [][]string) string {
	var main strings.Builder
	main.WriteString("\nfunc Main() {\n")
	for _, m := range models {
		fmt.Fprintf(&main, "\t{ g := graph.New(%q); %[1]s(g); fmt.Println(shapeinfer.Check(g)) }\n", m[1])
	}
	main.WriteString("}\n")
	return main.String()
}

func hasPackageClause(code string) bool {
	_, err := parser.ParseFile(token.NewFileSet(), "", code, parser.PackageClauseOnly)
	return err == nil
}

// wrap makes a file of declarations or statements. Its first line is the code's: models show
// their lines in messages.
func wrap(code string, inside bool) string {
	body := code
	if _, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+code, 0); err != nil && !inside {
		body = "func fragment(ctx context.Context, g *graph.Graph, x, y *graph.Node, prog *exec.Program, file io.Writer) {\n" +
			code + "}\n"
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+body, 0)
	if err != nil {
		return "package p\n" + body // the caller reports it
	}
	used := map[string]bool{}
	if strings.Contains(code, modelMark) {
		for _, name := range []string{"fmt", "graph", "shapeinfer"} {
			used[importPaths[name]] = true
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && id.Obj == nil && importPaths[id.Name] != "" {
				used[importPaths[id.Name]] = true
			}
		}
		return true
	})
	var head strings.Builder
	head.WriteString("package p; ")
	for _, path := range slices.Sorted(maps.Keys(used)) {
		fmt.Fprintf(&head, "import %q; ", path)
	}
	return head.String() + body
}
