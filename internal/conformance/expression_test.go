package conformance

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// expression builds the graph of a formula in Python's words, such as
// "sum(exp(a*b+c), dims=[0,2])".
func expression(text string, inputs map[string]*graph.Node) (*graph.Node, error) {
	p := &formula{text: text, inputs: inputs}
	v := p.expr(0)
	if p.space(); p.err == nil && p.at < len(p.text) {
		p.fail("what follows " + text[:p.at])
	}
	return p.node(v), p.err
}

// formula is a formula that is read; err holds the first thing that it cannot build.
type formula struct {
	text   string
	at     int
	inputs map[string]*graph.Node
	err    error
}

// operand is a part of a formula: a value, or a number or a list as JSON, which may turn
// out to be a fixed argument.
type operand struct {
	node    *graph.Node
	literal json.RawMessage
}

func (p *formula) fail(what string) operand {
	if p.err == nil {
		p.err = unsupported{fmt.Sprintf("%s in the formula %q", what, p.text)}
	}
	return operand{literal: json.RawMessage("0")}
}

func (p *formula) node(v operand) *graph.Node {
	if v.node != nil || p.err != nil {
		return v.node
	}
	a := newAttrs(nil)
	n := numberNode(v.literal, a)
	if a.err != nil {
		p.fail(string(v.literal))
	}
	return n
}

// operator is a word between two operands; a higher rank binds more tightly.
type operator struct {
	word string
	rank int
	f    func(x, y *graph.Node) *graph.Node
}

// operators are Python's, longer words first.
var operators = []operator{
	{"**", 5, ops.Pow}, {"//", 3, ops.FloorDiv},
	{"<=", 1, ops.LessEqual}, {">=", 1, ops.GreaterEqual}, {"==", 1, ops.Equal}, {"!=", 1, ops.NotEqual},
	{"<", 1, ops.Less}, {">", 1, ops.Greater}, {"+", 2, ops.Add}, {"-", 2, ops.Sub},
	{"*", 3, ops.Mul}, {"/", 3, ops.Div}, {"%", 3, ops.Remainder}, {"@", 3, ops.MatMul},
}

// signRank is that of a sign in front: tighter than a product, looser than a power.
const signRank = 4

func (p *formula) space() {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
}

// take moves over a word if it comes next.
func (p *formula) take(word string) bool {
	p.space()
	if !strings.HasPrefix(p.text[p.at:], word) {
		return false
	}
	p.at += len(word)
	return true
}

func (p *formula) expr(least int) operand {
	x := p.prefix()
	for p.err == nil {
		op, found := p.operator(least)
		if !found {
			return x
		}
		rank := op.rank + 1
		if op.word == "**" {
			rank = signRank // to the right: x ** -y ** z
		}
		y := p.expr(rank)
		if x.node == nil && y.node == nil {
			return p.fail("arithmetic on numbers alone")
		}
		x = operand{node: op.f(p.node(x), p.node(y))}
	}
	return x
}

func (p *formula) operator(least int) (operator, bool) {
	for _, op := range operators {
		if before := p.at; p.take(op.word) {
			if op.rank >= least {
				return op, true
			}
			p.at = before
			break
		}
	}
	return operator{}, false
}

// prefix reads an operand with what stands behind it: a call of a method.
func (p *formula) prefix() operand {
	var x operand
	switch {
	case p.take("-"):
		x = p.expr(signRank)
		if x.node == nil {
			return operand{literal: append(json.RawMessage("-"), x.literal...)}
		}
		return operand{node: ops.Neg(x.node)}
	case p.take("("):
		x = p.expr(0)
		p.expect(")")
	case p.take("["):
		x = p.list()
	default:
		x = p.word()
	}
	for p.err == nil && p.take(".") {
		name := p.name()
		p.expect("(")
		x = p.call(name, []operand{x})
	}
	return x
}

func (p *formula) expect(word string) {
	if !p.take(word) {
		p.fail("no " + word)
	}
}

func (p *formula) list() operand {
	var items []string
	for p.err == nil && !p.take("]") {
		items = append(items, string(p.expr(0).literal))
		p.take(",")
	}
	return operand{literal: json.RawMessage("[" + strings.Join(items, ",") + "]")}
}

func (p *formula) name() string {
	p.space()
	start := p.at
	for p.at < len(p.text) && isNamePart(rune(p.text[p.at]), p.at == start) {
		p.at++
	}
	return p.text[start:p.at]
}

func isNamePart(r rune, first bool) bool {
	return r == '_' || unicode.IsLetter(r) || !first && unicode.IsDigit(r)
}

// word reads a name, a call or a number.
func (p *formula) word() operand {
	name := p.name()
	switch {
	case name == "":
		return p.number()
	case p.take("("):
		return p.call(name, nil)
	case name == "True" || name == "False":
		return operand{literal: json.RawMessage(strings.ToLower(name))}
	case p.inputs[name] != nil:
		return operand{node: p.inputs[name]}
	}
	return p.fail("the name " + name)
}

func (p *formula) number() operand {
	start := p.at
	for ; p.at < len(p.text); p.at++ {
		isExponent := p.text[p.at] == '-' && p.at > start && p.text[p.at-1] == 'e'
		if !isExponent && strings.IndexByte("0123456789.e", p.text[p.at]) < 0 {
			break
		}
	}
	if _, err := strconv.ParseFloat(p.text[start:p.at], 64); err != nil {
		return p.fail("no number")
	}
	return operand{literal: json.RawMessage(p.text[start:p.at])}
}

// call reads the arguments of an operation of the table. A number or a list behind the
// first argument is an axis or a list of sizes, where the operation has such an argument.
func (p *formula) call(op string, args []operand) operand {
	raw := map[string]json.RawMessage{}
	for p.err == nil && !p.take(")") {
		before := p.at
		if name := p.name(); name != "" && p.take("=") && !strings.HasPrefix(p.text[p.at:], "=") {
			raw[argumentName(name)] = p.expr(0).literal
		} else {
			p.at = before
			args = append(args, p.expr(0))
		}
		p.take(",")
	}
	var in []*graph.Node
	for i, a := range args {
		isList := len(a.literal) > 0 && a.literal[0] == '['
		switch {
		case a.node == nil && i > 0 && (isList || hasAxis(op)):
			raw[positionName(op)] = a.literal
		default:
			in = append(in, p.node(a))
		}
	}
	if p.err != nil {
		return operand{}
	}
	out, err := build(op, nil, in, raw)
	if err != nil {
		return p.fail(fmt.Sprintf("%s: %v", op, err))
	}
	return operand{node: out[0]}
}

// hasAxis tells the operations whose second argument is an axis.
func hasAxis(op string) bool {
	_, folds := emptyListCalls[op]
	return folds || strings.Contains("softmax log_softmax max min cumsum cumprod unsqueeze squeeze argmax argmin", op)
}

// positionName returns the name of a fixed argument that stands behind the first operand.
func positionName(op string) string {
	if op == "reshape" || op == "view" || op == "expand" {
		return "size"
	}
	return "dim"
}

// argumentName returns the name of an argument that the table knows.
func argumentName(word string) string {
	switch word {
	case "dims", "axis", "axes":
		return "dim"
	case "keepdims":
		return "keepdim"
	}
	return word
}
