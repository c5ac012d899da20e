package shapeinfer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// This file proposes conversions of dtypes.

// convert changes the dtype of operands: of one to another's, the widest first; of two to one that has the numbers of
// both; or of one to a dtype that most operations take. What loses less comes first, and the suggestion says what is
// lost. What is written in place keeps its dtype.
func (t *trier) convert() {
	conversions := t.conversions()
	for _, whole := range []bool{true, false} {
		for _, c := range conversions {
			words := map[*graph.Node]string{}
			for _, x := range c.values {
				words[x] = castText(x, c.to)
			}
			text := t.n.Calls(words)
			if c.loss != "" {
				text += ", " + c.loss
			}
			if t.tryIf(graph.Fix{Kind: graph.FixConvert, Text: text}, func(trial *graph.Trial) bool {
				return t.cures(trial) && (!whole || trial.MendsCall(t.n))
			}, t.converted(c)...) {
				return
			}
		}
		if len(t.n.Parts()) == 1 {
			return
		}
	}
}

// castsOf writes the call of a mistake with the conversions that it asks for, or only the conversions if the call has
// the values in a list; "" if one of them is no value of the user's.
func castsOf(m *graph.Mistake) string {
	words := map[*graph.Node]string{}
	var casts, losses []string
	for _, c := range m.Casts {
		x := m.Node.Stands(c.Node)
		if x == nil || x != c.Node.Written() {
			return ""
		}
		words[x] = castText(x, c.To)
		casts = append(casts, words[x])
		if loss := x.DType().Loss(c.To); loss != "" && !slices.Contains(losses, loss) {
			losses = append(losses, loss)
		}
	}
	if len(words) == 0 {
		return ""
	}
	text := m.Node.Calls(words)
	if text == m.Node.Calls(nil) {
		text = strings.Join(casts, ", ")
	}
	return strings.Join(append([]string{text}, losses...), ", ")
}

// wholeNumber says of a floating-point value that it would be of integers if a number in it had been one: Go's 7.0 is
// a float64.
func wholeNumber(x *graph.Node) string {
	x = x.Written()
	if x.Op() == nil || x.Op().Class != graph.Elementwise || !x.DType().IsFloat() {
		return ""
	}
	var number *graph.Node
	types, ranks := make([]graph.DType, len(x.Operands())), make([]graph.OperandRank, len(x.Operands()))
	for i, in := range x.Operands() {
		for in.Op() == graph.CastOp {
			in = in.In(0)
		}
		types[i], ranks[i] = in.DType(), graph.RankZero
		if in.Rank() > 0 {
			ranks[i] = graph.RankMore
		}
		if v, is := in.ScalarValue(); is && in.Name() == "" && in.DType().IsFloat() && v == math.Trunc(v) {
			number, types[i], ranks[i] = in, graph.Int64, graph.PlainNumber
		}
		if !types[i].IsInt() {
			return ""
		}
	}
	if number == nil {
		return ""
	}
	to, wrong := x.Op().Promoted(types, ranks)
	if wrong != nil || slices.ContainsFunc(to, func(t graph.DType) bool { return !t.IsInt() }) {
		return ""
	}
	return fmt.Sprintf("or write the number in %s as an int, graph.Num(%s): of a float64, whole or not, the result is %s",
		x.Called(), number.Called(), x.DType())
}

func castText(x *graph.Node, to graph.DType) string {
	return "Cast(" + x.Called() + ", graph." + to.GoName() + ")"
}

// declareDType declares a parameter that the user's call does not name, such as the weight of a layer, with the dtype
// of another operand.
func (t *trier) declareDType() {
	for i := range t.n.Operands() {
		w := t.moved(i)
		if w == nil || !w.IsParam() || w.IsState() || slices.Contains(t.n.InCall(), w) {
			continue
		}
		for _, x := range t.n.InCall() {
			if x == nil || x.DType() == w.DType() || x.DType() != graph.Float32 && x.DType() != graph.Float64 {
				continue
			}
			t.try(graph.Fix{Kind: graph.FixDeclare, At: w, Text: fmt.Sprintf(
				"declare %s as %s: a layer of package nn has the option nn.DType(graph.%s)", w.Called(), x.DType().GoName(),
				x.DType().GoName())},
				graph.Change{Node: w, Declared: &graph.Type{DType: x.DType(), Shape: w.Shape()}})
		}
	}
}

// isMask reports whether operand i is a mask instead of indices. Converted, it would select elements 0 and 1.
func (t *trier) isMask(i int) bool {
	for _, o := range t.m.Operands {
		if o.Node == t.n.In(i) && o.Names {
			return t.n.In(i).DType() == graph.Bool
		}
	}
	return false
}

// conversion is a change of the dtype of values that a call is given.
type conversion struct {
	to     graph.DType
	values []*graph.Node
	loss   string // what it loses, in words
	cost   int    // by which conversions are ordered
}

// The costs of conversions. To round whole numbers, as all floating-point dtypes do with large ones, is what people
// mean who multiply both; the others lose numbers that are not large.
const (
	exactly      = iota
	rounding     // whole numbers to another operand's dtype
	ofBoth       // to the one that has most of the values of two
	usually      // to a dtype that no operand has
	losing       // fractions, or what is beyond the range of the dtype
	losingSigns  // all negative numbers
	losingValues // all but whether a number is 0
)

// conversions lists those that may cure a mistake of dtypes, by what they lose.
func (t *trier) conversions() (list []conversion) {
	var values []*graph.Node // the user's, the later ones first
	var wanted []graph.DType
	for i := len(t.n.Operands()) - 1; i >= 0; i-- {
		if x := t.moved(i); x != nil && !slices.Contains(values, x) && !t.isMask(i) && t.isWritten(x) {
			values = append(values, x)
		}
		wanted = append(wanted, t.n.In(i).DType())
	}
	slices.Sort(wanted)
	slices.Reverse(wanted)
	isUpdate := t.n.Op().Class == graph.Update
	if isUpdate {
		wanted = []graph.DType{t.n.In(0).DType()}
		values = slices.DeleteFunc(values, func(x *graph.Node) bool { return x == t.moved(0) })
	}
	single := func(to graph.DType, least int) {
		for _, x := range values {
			if x.DType() != to {
				list = append(list, conversion{to, []*graph.Node{x}, x.DType().Loss(to),
					max(least, cost(x.DType(), to))})
			}
		}
	}
	for _, to := range wanted {
		single(to, exactly)
	}
	if !isUpdate {
		for i, x := range values {
			for _, y := range values[:i] {
				to, loss := graph.Common(x.DType(), y.DType())
				other := slices.DeleteFunc([]*graph.Node{y, x}, func(v *graph.Node) bool { return v.DType() == to })
				if len(other) > 0 {
					list = append(list, conversion{to, other, loss, ofBoth})
				}
			}
		}
		single(graph.Float32, usually)
		single(graph.Int64, usually)
		single(graph.Bool, usually)
	}
	slices.SortStableFunc(list, func(a, b conversion) int { return cmp.Compare(a.cost, b.cost) })
	return list
}

// cost is what a conversion of one value costs.
func cost(from, to graph.DType) int {
	switch {
	case from.Loss(to) == "":
		return exactly
	case to == graph.Bool:
		return losingValues
	case !from.IsUnsigned() && to.IsUnsigned():
		return losingSigns
	case !from.IsFloat() && to.IsFloat() && from.Within(to):
		return rounding
	}
	return losing
}

// moved is [trier.user], also where the call has moved the value's elements, as a linear layer turns its weight.
func (t *trier) moved(i int) *graph.Node { return t.n.StandsMoved(t.n.In(i)) }

// isWritten reports whether the user's call names a value: a conversion of another one, such as the weight of a layer,
// cannot be written there.
func (t *trier) isWritten(x *graph.Node) bool {
	return slices.ContainsFunc(t.n.InCall(), func(in *graph.Node) bool { return in != nil && in.Written() == x })
}

// converted returns the changes of operands by a conversion, in all parts of the call.
func (t *trier) converted(c conversion) (changes []graph.Change) {
	for _, n := range t.n.Parts() {
		types, some := make([]graph.DType, len(n.Operands())), false
		for k, x := range n.Operands() {
			if x == nil {
				types = nil
				break
			}
			types[k] = x.Written().DType()
			if slices.Contains(c.values, n.StandsMoved(x)) && (n == t.n || slices.Contains(c.values, x.Written())) {
				types[k], some = c.to, true
			}
		}
		if some || n == t.n {
			changes = append(changes, graph.Change{Node: n, Operands: promoted(n, n.Op(), types)})
		}
	}
	return changes
}

// promotedTypes returns the dtypes of n's operands, of the given shapes and dtypes, after the promotion of an
// operation; nil where it refuses them.
func promotedTypes(n *graph.Node, op *graph.Op, shapes []graph.Shape, types []graph.DType) []graph.DType {
	if op.Promote == nil {
		return types
	}
	ranks := make([]graph.OperandRank, len(types))
	for k, x := range n.Operands() {
		switch {
		case len(shapes[k]) > 0:
			ranks[k] = graph.RankMore
		case x.IsConst():
			ranks[k] = graph.PlainNumber
		default:
			ranks[k] = graph.RankZero
		}
	}
	to, m := op.Promoted(types, ranks)
	if m != nil {
		return nil
	}
	return to
}

// promoted returns the types of a node's operands, of the given dtypes, after the promotion of an operation.
func promoted(n *graph.Node, op *graph.Op, types []graph.DType) map[int]graph.Type {
	shapes := make([]graph.Shape, len(types))
	for k, x := range n.Operands() {
		if k < len(shapes) {
			shapes[k] = x.Shape()
		}
	}
	if types = promotedTypes(n, op, shapes, types); types == nil {
		return nil
	}
	operands := map[int]graph.Type{}
	for k, x := range n.Operands() {
		if types[k] != x.DType() {
			operands[k] = graph.Type{DType: types[k], Shape: x.Shape()}
		}
	}
	return operands
}

// wholeNumbers is [wholeNumber] of the operands of a mistake about dtypes.
func wholeNumbers(m *graph.Mistake) (help []string) {
	if m.Code != graph.CodeDType {
		return nil
	}
	seen := map[*graph.Node]bool{}
	for _, o := range m.Shown() {
		if o.Node == nil || seen[o.Node] {
			continue
		}
		seen[o.Node] = true
		if text := wholeNumber(o.Node); text != "" {
			help = append(help, text)
		}
	}
	return help
}
