package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// taking is what a function takes its operand for, where that can be mistaken for probabilities: in words, and what
// else to write, from how the probabilities and what they were made of are called, and from the function's other
// operands.
type taking struct {
	takes string
	help  func(call string, p, of node, rest string) []string
}

var (
	scoresOfClasses = taking{"scores, and computes their softmax itself",
		func(fn string, p, of node, behind string) []string {
			return []string{
				giveScores(fn, of, behind),
				fmt.Sprintf("or, for probabilities, NLL(Log(%s)%s)", p.Called(), behind),
			}
		}}
	scoresOfLabels = taking{takesLogits, func(fn string, _, of node, behind string) []string {
		return []string{giveScores(fn, of, behind)}
	}}
	scoresOfBCE = taking{takesLogits, func(fn string, p, of node, behind string) []string {
		return []string{giveScores(fn, of, behind), fmt.Sprintf("or, for probabilities, BCE(%s%s)", p.Called(), behind)}
	}}
	logarithms = taking{"logarithms of probabilities", func(fn string, p, of node, behind string) []string {
		return []string{
			fmt.Sprintf(
				"use LogSoftmax instead of Softmax, or LogSigmoid instead of Sigmoid; Log(%s) is less accurate where it is small",
				p.Called()),
		}
	}}
	scoresToDraw = taking{"scores or log-probabilities", func(fn string, p, of node, behind string) []string {
		return []string{fmt.Sprintf("pass the scores, %s, or Log(%s); or use Multinomial for probabilities",
			of.Called(), p.Called())}
	}}
)

const takesLogits = "scores, and computes their sigmoid itself"

func giveScores(fn string, of node, behind string) string {
	return fmt.Sprintf("pass the scores: %s(%s%s); use probabilities only as results for readers", fn, of.Called(),
		behind)
}

// probabilities are a value that a softmax or a sigmoid has given, the scores that it was given, and how it is called;
// empty where a value is none.
type probabilities struct {
	made, scores node
	by           string
}

// probabilitiesIn are those of which x is made by moving elements and converting them alone.
func probabilitiesIn(x node) probabilities {
	for x != nil && x.Judged() && len(x.Operands()) > 0 {
		op := x.Op()
		moves := op.Class == graph.Movement && len(x.Operands()) == 1 && op.Assemble == nil ||
			op.Class == graph.Gather && op.Fold == graph.NoFold
		switch {
		case op == opSoftmax || op == opSigmoid:
			return probabilities{x, x.In(0), op.Func}
		case isShareOfSum(x) && x.In(0).Op() == opExp:
			return probabilities{x, x.In(0).In(0), "exponentials divided by their sum"}
		case !moves && op != opCast && op != opCopy && op != opStopGrd:
			return probabilities{}
		}
		x = x.In(0)
	}
	return probabilities{}
}

// isShareOfSum reports whether a value is divided by its own sum along some axes, which are kept.
func isShareOfSum(x node) bool {
	if x.Op() != opDiv || x.In(1).Graph() == nil || !x.In(1).Judged() {
		return false
	}
	sum := x.In(1)
	for sum.Op().Class == graph.Movement && len(sum.Operands()) == 1 {
		sum = sum.In(0)
	}
	return sum.Op() == opSum && sum.In(0) == x.In(0)
}

// warn warns of a call of fn whose operand 0 is probabilities; rest are the operands of fn behind it.
func (t taking) warn(c *graph.Call, fn string, rest ...node) {
	x := c.In(0)
	made := probabilitiesIn(x)
	choice := c.Policy().GivenProbabilities
	if made.made == nil || c.Failed() || choice == graph.AllowSilently {
		return
	}
	said := func(m *graph.Mistake) bool {
		return m.Code == graph.CodeGivenProbabilities && m.Node.Pos() == c.Node().Pos() &&
			probabilitiesIn(m.Node.In(0)) == made
	}
	if slices.ContainsFunc(c.Node().Graph().Warnings(), said) {
		return // by another part of the call
	}
	behind := ""
	for _, other := range rest {
		behind += ", " + other.Called()
	}
	m := &graph.Mistake{Code: graph.CodeGivenProbabilities, Choice: true, Apart: true,
		Summary: fmt.Sprintf("%s are probabilities, computed by %s, but %s expects %s", x.Called(), made.by, fn,
			t.takes),
		Operands: []graph.OperandNote{{Node: made.scores}, {Node: made.made}},
		Help: append(t.help(fn, x, made.scores, behind),
			"to keep it: Silence(graph.CodeGivenProbabilities) on the result, or Policy.GivenProbabilities = graph.AllowSilently")}
	if x != made.made {
		m.Operands = append(m.Operands, graph.OperandNote{Node: x})
	}
	if choice == graph.RefuseAlways {
		c.Fail(m)
	} else {
		c.Warn(m)
	}
}

// checks returns operand x of a call as the call reads it: where it is probabilities instead of that, a node that warns
// and gives it on.
func (t taking) checks(call refusedCall, x node) node {
	if probabilitiesIn(x).made == nil {
		return x
	}
	op := &graph.Op{Name: "given", Func: call.fn, Doc: "an operand that is probabilities", Class: graph.Composite,
		MinIn: 1, MaxIn: 1,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			t.warn(c, call.fn, call.in[1:]...)
			return c.DType(0), c.Shape(0)
		},
		Expand: func(_ node, in []node) node { return in[0] },
		Grad:   func(_, dy node, _ int) node { return dy }}
	return graph.Apply(op, nil, x)
}
