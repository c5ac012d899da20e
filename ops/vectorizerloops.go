package ops

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/loopop"
	"github.com/broadloom/broadloom/internal/nodecopy"
)

// findSequential finds the loops in a list that run for one example after the other: those whose number of steps
// depends on the example, and those whose bodies have side effects.
func (v *vectorizer) findSequential(list []node) {
	for _, n := range list {
		a, isLoop := n.Loop()
		if isLoop && a.Role == graph.LoopEnd && (a.Stops || a.Limited || a.Body.Ordered() || a.Body.Spec().Whole) {
			v.sequential[a.Body] = true
		}
	}
}

// isSequential reports whether a body belongs to a loop that runs for one example after the other.
func (v *vectorizer) isSequential(r *graph.Region) bool {
	for ; r != nil && r != v.body; r = r.Parent() {
		if v.sequential[r] {
			return true
		}
	}
	return false
}

// loop builds the batched value of a node of a loop whose steps all examples take together. Carried values are mapped,
// even if their initial values are not.
func (v *vectorizer) loop(n node, a graph.LoopAttrs) batchedValue {
	body := v.bodyOf(a.Body)
	switch a.Role {
	case graph.LoopCarried:
		var init node
		v.g.Within(body.Parent(), func() { init = v.batched(n.In(0)) })
		return batchedValue{loopop.Carried(body, a.Index, init), true}
	case graph.LoopElement:
		is := v.value(n.In(0))
		if is.mapped {
			v.g.Within(body.Parent(), func() { is.node = MoveAxis(is.node, 0, 1) })
		}
		return batchedValue{loopop.Element(body, is.node), is.mapped}
	case graph.LoopStep:
		return batchedValue{loopop.Step(v.g, body), false}
	case graph.LoopEnd:
		was, handed, _ := loopop.CarriedOf(n)
		carried, next := make([]node, len(was)), make([]node, len(was))
		v.g.Within(body, func() {
			for i := range was {
				carried[i], next[i] = v.value(was[i]).node, v.batched(handed[i])
			}
		})
		return batchedValue{loopop.End(v.g, body, carried, next, loopop.Limit{}), false}
	case graph.LoopFinal:
		return batchedValue{loopop.Final(body, v.value(n.In(0)).node, a.Index), true}
	}
	is := v.value(n.In(1))
	y := loopop.Stack(body, v.value(n.In(0)).node, is.node)
	if is.mapped {
		y = MoveAxis(y, 0, 1)
	}
	return batchedValue{y, is.mapped}
}

// sequentialLoop builds the batched values of a loop that runs for one example after the other.
func (v *vectorizer) sequentialLoop(list []node, body *graph.Region) {
	var group, results []node
	for _, n := range list {
		a, isLoop := n.Loop()
		isPart := isLoop && a.Body == body && a.Role >= graph.LoopEnd
		if isPart || n.Region() != nil && body.Holds(n.Region()) {
			group = append(group, n)
		}
		if isPart {
			results = append(results, n)
		}
	}
	v.sequentially(group, results)
}

// sequentially computes nodes for one example after the other, in a loop. All of them are in one body, or in bodies of
// loops in that body.
func (v *vectorizer) sequentially(group, results []node) {
	home := results[0].Region()
	v.inPlaceOf(results[0], func() {
		region, end := v.g.OpenRegion(graph.LoopSpec{Length: v.size})
		c := nodecopy.New(v.g, v.g.Like)
		c.Bodies[home] = region
		isOfGroup := map[node]bool{}
		for _, n := range group {
			isOfGroup[n] = true
		}
		var over []node
		for _, n := range group {
			for _, x := range n.Operands() {
				is, known := v.made[x]
				if _, copied := c.Copies[x]; !known || copied || isOfGroup[x] {
					continue
				}
				if c.Copies[x] = is.node; is.mapped {
					over = append(over, is.node)
					c.Copies[x] = loopop.Element(region, is.node)
				}
			}
			c.Copy(n)
		}
		c.Close()
		end()
		ended := loopop.End(v.g, region, nil, nil, loopop.Limit{}).MarkLike(over...)
		for _, n := range results {
			v.made[n] = batchedValue{loopop.Stack(region, ended, c.Copies[n]), true}
		}
	})
}
