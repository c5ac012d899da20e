package graph

import (
	_ "embed"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

//go:embed codes.go
var codesFile string

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
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", codesFile, parser.ParseComments)
	if err != nil {
		panic(err) // the file was compiled into this very program
	}
	var list []Explanation
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
			e.Meaning = paragraph
		}
	}
	return e
}
