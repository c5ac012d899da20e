package vectors

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// These find what Go's syntax does not have: named arguments, lists in brackets, and
// words of Go's own as names of operations.
var (
	keyword  = regexp.MustCompile(`([(,]\s*)([a-z_]+)\s*=\s*([^=])`)
	brackets = regexp.MustCompile(`\[([^\]]*)\]`)
	goWord   = regexp.MustCompile(`\b(var|select|range|func)\b`)
)

// expression builds the graph of a formula in Python's words, such as
// "sum(exp(a*b+c), dims=[0,2])". Go's parser reads it, with named arguments written as
// comparisons and lists as composite literals.
func expression(text string, inputs map[string]*graph.Node) (*graph.Node, error) {
	text = keyword.ReplaceAllString(text, "$1$2==$3")
	text = brackets.ReplaceAllString(text, "list{$1}")
	text = goWord.ReplaceAllString(text, "${1}_")
	tree, err := parser.ParseExpr(text)
	if err != nil {
		return nil, unsupported{"the formula " + text}
	}
	f := &formula{inputs: inputs}
	n := f.build(tree)
	return n, f.err
}

// formula is a formula under construction; err holds the first thing that it cannot build.
type formula struct {
	inputs map[string]*graph.Node
	err    error
}

func (f *formula) fail(what string) *graph.Node {
	if f.err == nil {
		f.err = unsupported{what + " in a formula"}
	}
	return nil
}

// operators are the table's words for Go's operators.
var operators = map[token.Token]func(x, y *graph.Node) *graph.Node{
	token.ADD: ops.Add, token.SUB: ops.Sub, token.MUL: ops.Mul, token.QUO: ops.Div,
	token.GTR: ops.Greater, token.GEQ: ops.GreaterEqual, token.LSS: ops.Less, token.LEQ: ops.LessEqual,
	token.EQL: ops.Equal, token.NEQ: ops.NotEqual,
}

func (f *formula) build(e ast.Expr) *graph.Node {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.build(e.X)
	case *ast.Ident:
		if n := f.inputs[e.Name]; n != nil {
			return n
		}
		return f.fail("the name " + e.Name)
	case *ast.BasicLit:
		return numberNode(json.RawMessage(e.Value), newAttrs(nil))
	case *ast.UnaryExpr:
		if e.Op == token.SUB {
			return ops.Neg(f.build(e.X))
		}
	case *ast.BinaryExpr:
		if power, is := e.Y.(*ast.StarExpr); is && e.Op == token.MUL { // Python's x ** y
			return ops.Pow(f.build(e.X), f.build(power.X))
		}
		if op := operators[e.Op]; op != nil {
			return op(f.build(e.X), f.build(e.Y))
		}
	case *ast.CallExpr:
		return f.call(e)
	}
	return f.fail(fmt.Sprintf("%T", e))
}

// call builds a call of the table's operations. A whole number or a list in second place
// is the axis or the axes.
func (f *formula) call(e *ast.CallExpr) *graph.Node {
	name, ok := e.Fun.(*ast.Ident)
	if !ok {
		return f.fail("a call of no name")
	}
	op := strings.TrimSuffix(name.Name, "_")
	var in []*graph.Node
	raw := map[string]json.RawMessage{}
	for i, arg := range e.Args {
		switch arg := arg.(type) {
		case *ast.BinaryExpr:
			if word, is := arg.X.(*ast.Ident); is && arg.Op == token.EQL && f.inputs[word.Name] == nil {
				raw[argumentName(word.Name)] = f.argument(arg.Y)
				continue
			}
			in = append(in, f.build(arg))
		case *ast.BasicLit, *ast.CompositeLit:
			if i == 1 && len(e.Args) <= 3 && isReduction(op) {
				raw["dim"] = f.argument(arg)
				continue
			}
			in = append(in, f.build(arg))
		default:
			in = append(in, f.build(arg))
		}
	}
	if f.err != nil {
		return nil
	}
	out, err := build(op, nil, in, raw)
	if err != nil {
		return f.fail(fmt.Sprintf("%s: %v", op, err))
	}
	return out[0]
}

// isReduction tells the operations whose second argument is an axis.
func isReduction(op string) bool {
	_, has := emptyListCalls[op]
	return has || op == "softmax" || op == "log_softmax" || op == "max" || op == "min" || op == "cumsum"
}

// argumentName gives the name that the table knows.
func argumentName(word string) string {
	switch word {
	case "dims", "axis", "axes":
		return "dim"
	}
	return word
}

// argument writes a fixed argument in JSON.
func (f *formula) argument(e ast.Expr) json.RawMessage {
	switch e := e.(type) {
	case *ast.BasicLit:
		return json.RawMessage(e.Value)
	case *ast.UnaryExpr:
		if e.Op == token.SUB {
			return append(json.RawMessage("-"), f.argument(e.X)...)
		}
	case *ast.Ident:
		switch e.Name {
		case "True", "true":
			return json.RawMessage("true")
		case "False", "false":
			return json.RawMessage("false")
		}
	case *ast.CompositeLit:
		text := json.RawMessage("[")
		for i, item := range e.Elts {
			if i > 0 {
				text = append(text, ',')
			}
			text = append(text, f.argument(item)...)
		}
		return append(text, ']')
	}
	f.fail(fmt.Sprintf("the argument %T", e))
	return json.RawMessage("null")
}
