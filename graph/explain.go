package graph

import (
	"cmp"
	"embed"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"slices"
	"strings"
)

//go:embed codes*.go
var codeFiles embed.FS

// Explanation says what a code means.
type Explanation struct {
	Code    Code
	Meaning string // a sentence or two
	Example string // Go statements that draw the code, in a graph g
	Cure    string // what to do
}

// Explanations lists all codes in the order of their numbers. The texts are the comments
// of this package's constants.
func Explanations() []Explanation {
	var list []Explanation
	names, err := fs.Glob(codeFiles, "*.go")
	if err != nil {
		panic(err) // of the pattern
	}
	for _, name := range names {
		list = append(list, explanationsIn(name)...)
	}
	slices.SortFunc(list, func(a, b Explanation) int { return cmp.Compare(a.Code, b.Code) })
	return list
}

func explanationsIn(name string) (list []Explanation) {
	text, err := codeFiles.ReadFile(name)
	if err != nil {
		panic(err) // the file was compiled into this very program
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
	if err != nil {
		panic(err) // the same
	}
	for _, d := range file.Decls {
		consts, isConst := d.(*ast.GenDecl)
		if !isConst || consts.Tok != token.CONST {
			continue
		}
		for _, s := range consts.Specs {
			list = append(list, explanation(s.(*ast.ValueSpec)))
		}
	}
	return list
}

func explanation(s *ast.ValueSpec) Explanation {
	e := Explanation{Code: Code(strings.Trim(s.Values[0].(*ast.BasicLit).Value, `"`))}
	for _, paragraph := range strings.Split(strings.TrimSpace(s.Doc.Text()), "\n\n") {
		switch cure, isCure := strings.CutPrefix(paragraph, "Cure: "); {
		case isCure:
			e.Cure = cure
		case strings.HasPrefix(paragraph, "\t"):
			e.Example = strings.TrimPrefix(strings.ReplaceAll(paragraph, "\n\t", "\n"), "\t")
		default:
			e.Meaning = strings.TrimSpace(e.Meaning + "\n\n" + paragraph)
		}
	}
	return e
}
