package viz

import (
	"fmt"
	"hash/fnv"
	"strconv"

	"github.com/broadloom/broadloom/graph"
)

const (
	mostPeriod = 300 // values in what is looked for as a repetition
	leastTimes = 3   // repetitions worth a stack
)

// repeatScopes returns scopes of their own to values that repeat a pattern of operations
// although the program names no scopes: the layers of a loop. It returns the new scopes.
func repeatScopes(m *model, folded *folding) (scopes []string) {
	var lists [partCount]map[string][]*value
	var order [partCount][]string
	for _, v := range m.values {
		if folded.outermost(v.scope) != "" {
			continue
		}
		if lists[v.part] == nil {
			lists[v.part] = map[string][]*value{}
		}
		if lists[v.part][v.scope] == nil {
			order[v.part] = append(order[v.part], v.scope)
		}
		lists[v.part][v.scope] = append(lists[v.part][v.scope], v)
	}
	for p := range order {
		for _, scope := range order[p] {
			scopes = append(scopes, splitRepeats(lists[p][scope], partNames[p], len(scopes))...)
		}
	}
	return scopes
}

// splitRepeats finds the repetitions in a list of values and names their scopes.
func splitRepeats(list []*value, part string, count int) (scopes []string) {
	marks := valueMarks(list)
	length, period := make([]int32, len(list)), make([]int32, len(list)) // the longest repetition from each value on
	for p := 1; p <= mostPeriod && p*leastTimes <= len(list); p++ {
		run := int32(0)
		for i := len(list) - p - 1; i >= 0; i-- {
			if marks[i] != marks[i+p] {
				run = 0
				continue
			}
			run++
			if whole := run - run%int32(p) + int32(p); whole >= int32(p*leastTimes) && whole > length[i] {
				length[i], period[i] = whole, int32(p)
			}
		}
	}
	for i := 0; i < len(list); {
		if length[i] == 0 {
			i++
			continue
		}
		outer := list[i].scope
		for at := range int(length[i]) {
			if at%int(period[i]) == 0 {
				scopes = append(scopes, joinScope(outer, fmt.Sprintf("%s step %d", part, count)))
				count++
			}
			list[i+at].scope = scopes[len(scopes)-1]
		}
		i += int(length[i])
	}
	return scopes
}

// valueMarks gives each value of a list a hash of what it does and how far before it
// its operands stand; equal steps of a loop have equal marks.
func valueMarks(list []*value) []uint64 {
	at := make(map[*value]int, len(list))
	marks := make([]uint64, len(list))
	for i, v := range list {
		at[v] = i
		h := fnv.New64a()
		h.Write([]byte(v.structure(v.scope, func(x *value) int {
			if j, here := at[x]; here && !x.role.isSource() {
				return i - j
			}
			return -1
		})))
		marks[i] = h.Sum64()
	}
	return marks
}

// groupUnits puts units that follow one another into scopes of their own, so that fewer
// than the limit are left. It is for programs that nothing else makes small.
func groupUnits(units []*unit, limit int) (scopes []string) {
	size := (len(units)*4)/(max(limit, 4)*3) + 2
	var open [partCount]struct {
		scope string
		left  int
	}
	for _, u := range inOrder(units) {
		g := &open[u.part]
		if g.left == 0 {
			g.scope, g.left = partNames[u.part]+" from "+strconv.Itoa(u.first().id), size
			scopes = append(scopes, g.scope)
		}
		g.left--
		for _, v := range u.values {
			v.scope = joinScope(g.scope, v.scope)
		}
	}
	return scopes
}

func joinScope(outer, inner string) string {
	if outer == "" || inner == "" {
		return outer + inner
	}
	return outer + graph.ScopeSeparator + inner
}
