package shapeinfer

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// Each strategy below proposes changes of the program that might be what the user meant.
// A change becomes a suggestion only after it was applied to a copy of the graph and the
// rules there found nothing wrong.

const (
	maxSuggested = 100 // mistakes of one report for which changes are tried
	maxTrials    = 60  // changes tried for one mistake
	// maxJudged bounds the nodes judged for all suggestions of a report: a trial judges
	// all that depends on a change. A small graph has as many trials as it wants.
	maxJudged   = 1_000_000
	maxOperands = 16 // operands of a node for which changes are tried
	minTrials   = 20
)

// suggest returns mistakes with suggestions, as copies: the graph keeps its own.
func (r *Report) suggest(ms []*graph.Mistake) []*graph.Mistake {
	out := slices.Clone(ms)
	trials := 0
	told := map[*graph.Mistake]bool{} // with another one of the same call
	for i, m := range ms {
		if m.Node == nil || m.Node.Graph() == nil || r.isTraced(m) || told[m] {
			continue
		}
		if help := castsOf(m); help != "" {
			changed := *m
			changed.Help = append(append([]string{help}, m.Help...), wholeNumbers(m)...)
			out[i] = &changed
			continue
		}
		t := &trier{report: r, m: m, n: m.Node,
			trials: min(maxTrials, max(minTrials, maxJudged/max(len(m.Node.Graph().Nodes()), 1))-trials)}
		if i >= maxSuggested || t.trials <= 0 {
			break
		}
		before := t.trials
		t.run()
		trials += before - t.trials
		if len(t.fixes) > 0 {
			changed := *m
			changed.Fixes = append(slices.Clone(m.Fixes), t.fixes...)
			changed.Detail = append(slices.Clone(m.Detail), t.detail...)
			changed.Help = append(slices.Clone(m.Help), wholeNumbers(m)...)
			out[i] = &changed
			for _, other := range ms[i+1:] {
				if other.Code == m.Code && slices.Contains(m.Node.Parts(), other.Node) && t.trial.Cures(other.Node) {
					told[other] = true
				}
			}
		}
	}
	kept := out[:0]
	for i, m := range out {
		if !told[ms[i]] {
			kept = append(kept, m)
		}
	}
	return kept
}

// strategy is what is tried for one kind of mistake: the changes, in order, and how many of
// them are shown.
type strategy struct {
	most int
	ways []way
}

// way tries one kind of change.
type way = func(*trier)

var strategies = map[graph.Code]strategy{
	graph.CodeBroadcast: {
		1, []way{(*trier).loopAxis, (*trier).keepDims, (*trier).padding, (*trier).roundedDown, (*trier).channelsSecond,
			(*trier).channelsLast,
			(*trier).declareWeights, (*trier).repeatMatrices, (*trier).align, (*trier).transpose, (*trier).squeeze,
			(*trier).exchange, (*trier).reshape, (*trier).declare}},
	graph.CodeNames: {1,
		[]way{(*trier).loopAxis, (*trier).keepDims, (*trier).otherAxis, (*trier).channelsFirst, (*trier).channelsSecond,
			(*trier).channelsLast,
			(*trier).declareWeights, (*trier).align, (*trier).transpose, (*trier).squeeze, (*trier).firstRows,
			(*trier).exchange, (*trier).equal, (*trier).declare}},
	graph.CodeRank: {
		1, []way{(*trier).loopAxis, (*trier).exchange, (*trier).keepDims, (*trier).align, (*trier).squeeze,
			(*trier).inRows}},
	graph.CodeMutualExpand: {2, []way{(*trier).keepDims, (*trier).squeeze, (*trier).declare, (*trier).align}},
	graph.CodeTargetShape: {
		2, []way{(*trier).keepDims, (*trier).squeeze, (*trier).declare, (*trier).align, (*trier).reshape}},
	graph.CodeBackcompat: {1, []way{(*trier).reshape}},
	graph.CodeMatMul:     {1, []way{(*trier).loopAxis, (*trier).transpose, (*trier).exchange, (*trier).declare}},
	graph.CodeLoop:       {1, []way{(*trier).loopAxis}},
	graph.CodeConcat: {
		1, []way{(*trier).loopAxis, (*trier).roundedDown, (*trier).joinElsewhere, (*trier).transpose,
			(*trier).align, (*trier).declare}},
	graph.CodeReshape:        {1, []way{(*trier).resize}},
	graph.CodeAxis:           {1, []way{(*trier).onlyAxis}},
	graph.CodeWindow:         {1, []way{(*trier).exchange, (*trier).channelsFirst, (*trier).declareWeights}},
	graph.CodeExpand:         {1, []way{(*trier).declareWeights, (*trier).align, (*trier).resize}},
	graph.CodeInPlaceShape:   {2, []way{(*trier).elsewhere, (*trier).reduce}},
	graph.CodeInPlaceDType:   {2, []way{(*trier).elsewhere, (*trier).convert}},
	graph.CodeSelfOverlap:    {2, []way{(*trier).copyOperand, (*trier).beforeView}},
	graph.CodeOperandOverlap: {1, []way{(*trier).copyOperand}},
	graph.CodeOrder:          {1, []way{(*trier).elsewhere, (*trier).copyRead, (*trier).copyOperand}},
	graph.CodeWriters:        {1, []way{(*trier).writeNext}},
	graph.CodeImmutable:      {1, []way{(*trier).mutable}},
	graph.CodeDType:          {2, []way{(*trier).exchange, (*trier).convert, (*trier).declareDType}},
}

// trier tries changes that may cure one mistake.
type trier struct {
	report *Report
	m      *graph.Mistake
	n      *graph.Node
	fixes  []graph.Fix
	trial  *graph.Trial // of the first fix
	detail []string
	trials int // that are left
	most   int // fixes that are wanted
}

// run tries the strategies for the mistake. A gradient is not the user's to change, and a
// node without sound operands fails for another reason.
func (t *trier) run() {
	if t.n.IsDerived() || len(t.n.Operands()) > maxOperands {
		return
	}
	for _, x := range t.n.Operands() {
		if x == nil || !x.Judged() || x.Graph() != t.n.Graph() || slices.Contains(x.Shape(), graph.UnknownDim) {
			return // a size that is not known fits all that is tried
		}
	}
	s := strategies[t.m.Code]
	t.most = s.most
	for _, way := range s.ways {
		if len(t.fixes) < t.most {
			way(t)
		}
	}
}

// try applies changes and notes the fix if they cure the mistake. A second fix that gives
// the same shape to the same end says nothing new.
func (t *trier) try(fix graph.Fix, changes ...graph.Change) bool {
	return t.tryIf(fix, t.cures, changes...)
}

// tryIf is try with another test of whether the changes cure the mistake.
func (t *trier) tryIf(fix graph.Fix, cures func(*graph.Trial) bool, changes ...graph.Change) bool {
	if t.trials <= 0 || len(t.fixes) >= t.most {
		return false
	}
	if fix.Gives != nil && slices.ContainsFunc(t.fixes, func(f graph.Fix) bool {
		return f.Gives.Equal(fix.Gives) && f.Kind != graph.FixDeclare && fix.Kind != graph.FixDeclare
	}) {
		return false
	}
	t.trials--
	trial := t.n.Graph().Try(changes...)
	if !cures(trial) {
		return false
	}
	if t.fixes = append(t.fixes, fix); t.trial == nil {
		t.trial = trial
	}
	return true
}

// cures reports whether the mistake is gone from a changed program, and nothing is wrong
// there that was right. The rule of a write that has no order found nothing wrong.
func (t *trier) cures(trial *graph.Trial) bool {
	if t.m.Code == graph.CodeOrder || t.m.Code == graph.CodeWriters {
		return trial.Keeps() && t.hasOrder(trial)
	}
	return trial.Mends(t.n) && (t.n.Op().Class != graph.Update || t.hasOrder(trial))
}

// operand is the change of operand i into another shape, alone; of a call of several nodes, wherever the
// call reads it, since its parts do not tell in which place it was given.
func (t *trier) operand(i int, s graph.Shape) (changes []graph.Change) {
	isSame := func(k int) bool { return k == i || t.n.IsPart() && t.user(i) != nil && t.user(k) == t.user(i) }
	for _, n := range t.n.Parts() {
		c := graph.Change{Node: n, Operands: map[int]graph.Type{}}
		for k, x := range n.Operands() {
			if n == t.n && isSame(k) || n != t.n && x == t.n.In(i) {
				c.Operands[k] = graph.Type{DType: x.DType(), Shape: s}
			}
		}
		if len(c.Operands) > 0 {
			changes = append(changes, c)
		}
	}
	return changes
}

// user returns the value of the user's program that operand i is, or nil where it is a part of the
// call.
func (t *trier) user(i int) *graph.Node { return t.n.Stands(t.n.In(i)) }

// word is how the user calls operand i, which is a value of the user's program.
func (t *trier) word(i int) string { return t.user(i).Called() }

// with returns the call with another word for what [trier.operand] changes.
func (t *trier) with(i int, word string) string { return t.n.CallsWith(i, word) }

// shape returns the shape of operand i.
func (t *trier) shape(i int) graph.Shape { return t.n.In(i).Shape() }

// pairs calls f with each operand that is the user's and each other one, the later operands first: it
// is most often the second one that was meant to fit.
func (t *trier) pairs(f func(i, other int)) {
	t.allPairs(func(i, other int) {
		if t.user(i) != nil {
			f(i, other)
		}
	})
}

// allPairs is pairs for all operands, parts of the call among them.
func (t *trier) allPairs(f func(i, other int)) {
	for i := len(t.n.Operands()) - 1; i >= 0; i-- {
		for other := range t.n.Operands() {
			if i != other {
				f(i, other)
			}
		}
	}
}
