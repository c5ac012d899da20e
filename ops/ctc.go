package ops

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// impossible replaces the logarithm of 0, so that sums stay finite; a loss past half of it is infinite.
const impossible = -1e30

// CTC returns the connectionist temporal classification loss: the mean over examples of the negative log-likelihood
// of a label sequence, summed over all its alignments with the steps and divided by its length. logProbs is [T, N,
// C], log-probabilities for each step. targets is [N, S], integer classes other than the blank one. Example n has
// inputLengths[n] steps and targetLengths[n] labels. If the labels do not fit into the steps, the loss is infinite. A
// length outside of 0 to T, or to S, stops the run. Options are [BlankClass] and [ZeroInfinity].
//
// A loop computes the forward variables step by step, so that one program serves all T and S. The gradient with
// respect to logProbs is that of the formula. PyTorch's already includes that of the LogSoftmax before it; both give
// the same gradient before the LogSoftmax. Source: Graves and others, Connectionist Temporal Classification, 2006.
func CTC(logProbs, targets, inputLengths, targetLengths *graph.Node, opts ...LossOption) *graph.Node {
	defer lossOf(opts).building("CTC", logProbs, targets, inputLengths, targetLengths)()
	defer inFloat32(&logProbs)()
	l := lossOf(opts)
	call := refused("CTC", logProbs, targets, inputLengths, targetLengths)
	if bad := l.refusedCTC(call); bad != nil {
		return bad
	}
	examples := ctcExamples(call.in)
	logProbs = logarithms.checks(call, logProbs)
	in, round := computedWide(logProbs)
	logProbs = in[0]
	inputLengths = lengthsUpTo(inputLengths, logProbs.Shape()[0],
		"input_lengths are not in the range from 0 to the number of steps")
	targetLengths = lengthsUpTo(targetLengths, targets.Shape()[1],
		"target_lengths are not in the range from 0 to the size of targets")
	c := newCTC(l, logProbs, targets, targetLengths)
	steps := Slice(logProbs, 0, 1, End, 1)
	numbers := Add(Iota(logProbs.Graph(), 0, steps.Shape()[:min(1, steps.Rank())]...), num64(1))
	final, _ := Scan(Loop{Carry: []node{c.begin(inputLengths)}, Over: []node{steps, numbers}},
		func(carry, step []node) (next, out []node) {
			lasts := Unsqueeze(Less(step[1], inputLengths), 1)
			return []node{Where(lasts, c.step(carry[0], step[0]), carry[0])}, nil
		})
	y := round(l.reduceCTC(c.end(final[0]), targetLengths))
	requireEqual(y, examples...)
	return y
}

// ctcExamples are the axes of examples, [T, N, C] with [N, S], [N] and [N].
func ctcExamples(in []node) (same []sameSize) {
	for _, x := range in[1:] {
		same = append(same, sameSize{a: x, i: 0, b: in[0], j: 1, of: "examples"})
	}
	return same
}

// lengthsUpTo is lengths as Int64, after a check that they are not negative, and not above the greatest.
func lengthsUpTo(lengths node, greatest graph.Dim, message string) node {
	lengths = lengths.Graph().Convert(lengths, graph.Int64)
	inside := And(GreaterEqual(lengths, num64(0)), LessEqual(lengths, Size(lengths.Graph(), graph.Int64, greatest)))
	return Assert(lengths, inside, message)
}

// ctc has what the steps of a CTC loss share. The labels are interleaved with blanks: L = 2*S + 1.
type ctc struct {
	labels  node // [N, L]
	mayJump node // [N, L]: whether the blank before may be left out
	first   node // [N, C], of the first step
	lengths node // [N, 1], of targets, as Int64
}

func newCTC(l lossCall, logProbs, targets, targetLengths node) *ctc {
	g, blank := logProbs.Graph(), graph.Num(l.blank)
	targets = Cast(targets, graph.Int64)
	c := &ctc{first: Select(logProbs, 0, 0), lengths: Unsqueeze(targetLengths, 1)}
	inside := Less(Iota(g, -1, 1, targets.Shape()[1]), c.lengths)
	targets = Where(inside.Silence(graph.CodeMutualExpand), targets, blank) // what stands behind a target is nothing
	pairs := Stack(2, FullLike(targets, float64(l.blank)), targets)
	c.labels = Pad(Flatten(pairs, 1, 2), 1, 0, 1, float64(l.blank))
	before := Slice(Pad(c.labels, 1, 2, 0, -1), 1, 0, c.labels.Shape()[1], 1)
	c.mayJump = And(NotEqual(c.labels, blank), NotEqual(c.labels, before))
	return c
}

// begin is the forward variables of the first step, which may be at the first blank or at the first label; of no step,
// before the first blank.
func (c *ctc) begin(inputLengths node) node {
	place := Iota(c.labels.Graph(), 1, c.labels.Shape()...)
	allowed := LessEqual(place, Minimum(c.lengths, num64(1)))
	first := Where(allowed, Gather(c.first, 1, c.labels), num(impossible))
	before := Where(Equal(place, num64(0)), num(0), num(impossible))
	return Where(Greater(Unsqueeze(inputLengths, 1), num64(0)), first, Cast(before, first.DType()))
}

// step is the forward variables after one more step: it stays, moves on, or jumps over a blank.
func (c *ctc) step(alpha, logProbs node) node {
	size := alpha.Shape()[1]
	moved := Slice(Pad(alpha, 1, 1, 0, impossible), 1, 0, size, 1)
	jumped := Where(c.mayJump, Slice(Pad(alpha, 1, 2, 0, impossible), 1, 0, size, 1), num(impossible))
	best := StopGradient(Maximum(Maximum(alpha, moved), jumped))
	sum := Add(Add(Exp(Sub(alpha, best)), Exp(Sub(moved, best))), Exp(Sub(jumped, best)))
	return ClampMin(Add(Add(best, Log(sum)), Gather(logProbs, 1, c.labels)), impossible)
}

// end is the loss of each example: it ends at the last label or at the blank behind it.
func (c *ctc) end(alpha node) node {
	last := Mul(c.lengths, num64(2))
	atBlank := Squeeze(Gather(alpha, 1, last), 1)
	label := Squeeze(Gather(alpha, 1, Maximum(Sub(last, num64(1)), num64(0))), 1)
	atLabel := Where(Equal(Squeeze(c.lengths, 1), num64(0)), num(impossible), label)
	return Neg(LogAddExp(atBlank, atLabel))
}

func (l lossCall) reduceCTC(each, targetLengths node) node {
	beyond := num(inf)
	if l.zeroInfinity {
		beyond = num(0)
	}
	each = Where(Greater(each, num(-impossible/2)), beyond, each)
	if l.Reduction == "mean" {
		each = Div(each, Cast(Maximum(targetLengths, num64(1)), each.DType()))
	}
	return l.reduce(each)
}

func (l lossCall) refusedCTC(call refusedCall) node {
	if bad := notTensors(call); bad != nil {
		return bad
	}
	wrong := func(code graph.Code, format string, args ...any) node {
		return refusal(call, &graph.Mistake{Code: code, Summary: fmt.Sprintf(format, args...)})
	}
	words := []string{"logProbs", "targets", "inputLengths", "targetLengths"}
	for i, rank := range []int{3, 2, 1, 1} {
		x := call.in[i]
		switch {
		case x.Rank() != rank:
			return wrong(graph.CodeRank, "%s of CTC must have %d axes, but %s has shape %s", words[i], rank, x.Called(),
				x.Shape())
		case i == 0 && !x.DType().IsFloat():
			return call.wrongDType(oneFloat(x), `"ctc_loss_cpu" not implemented for '%s'`, x.DType().TorchName())
		case i > 0 && !x.DType().IsIndex():
			return call.wrongDType(cast(x, graph.Int64), "%s of CTC must be integers, but %s has dtype %s", words[i], x.Called(),
				x.DType())
		}
	}
	if classes, known := call.in[0].Shape()[2].Int(); l.blank < 0 || known && int64(l.blank) >= classes {
		return wrong(graph.CodeOperand, "blank must be in label range: class %d of %s", l.blank, call.in[0].Shape()[2])
	}
	return call.unequal(graph.CodeBroadcast, ctcExamples(call.in)...)
}

func init() {
	composed("CTC", "mean of -log(sum over alignments of the product of probabilities) / length.",
		shownAs("CTC(logProbs, targets, inputLengths, targetLengths)",
			named("", "torch.nn.functional.ctc_loss", "", "", "CTCLoss",
				func(e *graph.Example) node {
					return CTC(e.Of("logProbs", "t", "n", "5"), e.As(graph.Int64, "targets", "n", "s"),
						e.As(graph.Int64, "inputLengths", "n"), e.As(graph.Int64, "targetLengths", "n"))
				})))
}
