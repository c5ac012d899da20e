package ops

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/loopop"
	"github.com/broadloom/broadloom/internal/nodecopy"
)

// findAlone finds the loops in a list that each example goes through by itself: those that may end after a number of steps of the example's own, and those
// whose bodies do more than to compute.
func (v *vectorizer) findAlone(list []node) {
	for _, n := range list {
		a, isLoop := n.Loop()
		if isLoop && a.Role == graph.LoopEnd && (a.Stops || a.Limited || a.Body.Ordered() || a.Body.Spec().Whole) {
			v.alone[a.Body] = true
		}
	}
}

// isAlone reports whether values of a body are those of a loop that each example goes through by itself.
func (v *vectorizer) isAlone(r *graph.Region) bool {
	for ; r != nil && r != v.body; r = r.Parent() {
		if v.alone[r] {
			return true
		}
	}
	return false
}

// loop makes what stands for a node of a loop that all examples go through together. What is carried is mapped, whatever it begins with.
func (v *vectorizer) loop(n node, a graph.LoopAttrs) batchedValue {
	body := v.bodyOf(a.Body)
	switch a.Role {
	case graph.LoopCarried:
		var init node
		v.g.Within(body.Parent(), func() { init = v.whole(n.In(0)) })
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
				carried[i], next[i] = v.value(was[i]).node, v.whole(handed[i])
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

// loopAlone makes what stands for a whole loop that each example goes through by itself.
func (v *vectorizer) loopAlone(list []node, body *graph.Region) {
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
	v.oneByOne(group, results)
}

// oneByOne computes nodes example by example, in a loop. All of them stand in one body, or in bodies of a loop of that body.
func (v *vectorizer) oneByOne(group, results []node) {
	home := results[0].Region()
	v.like(results[0], func() {
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
