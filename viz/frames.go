package viz

import (
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// frame is one cluster of a scope. A scope that is left and entered again has several:
// Graphviz cannot rank a cluster that an edge leaves and another one comes back to.
type frame struct {
	part   part
	scope  string
	outer  *frame
	id     int
	drawn  *cluster
	kernel *kernelText // whose frame it is, if it is one
}

// framer returns units their frames, in the order of the program.
type framer struct {
	current  map[scopeKey]*frame
	of       map[*unit][]*frame // from the outermost to the innermost
	left     map[*unit]frameSet // frames that lie behind a way to the unit
	prepared map[*unit]bool
	count    int
}

// findFrames returns the frames around each unit, from the outermost to the innermost.
func findFrames(units []*unit) map[*unit][]*frame {
	ordered := inOrder(units)
	f := framer{map[scopeKey]*frame{}, make(map[*unit][]*frame, len(units)), make(map[*unit]frameSet, len(units)),
		preparedUnits(ordered), 0}
	for _, u := range ordered {
		if !f.prepared[u] {
			f.place(u)
			f.placePrepared(u)
		}
	}
	for _, u := range ordered {
		if !f.isPlaced(u) {
			f.place(u)
		}
	}
	return f.of
}

// preparedUnits finds the units that can be computed before there is any input, of parameters and constants alone, and
// inputs themselves.
func preparedUnits(ordered []*unit) map[*unit]bool {
	prepared := make(map[*unit]bool, len(ordered))
	for _, u := range ordered {
		prepared[u] = !slices.ContainsFunc(u.in, func(l link) bool {
			return !prepared[l.from] || l.from.first().role == roleInput
		})
	}
	return prepared
}

// placePrepared places the prepared units that a unit is the first to need, so that they stand in the frame that is
// open then and not in one that was left before.
func (f *framer) placePrepared(u *unit) {
	for _, l := range u.in {
		if x := l.from; f.prepared[x] && !f.isPlaced(x) {
			f.placePrepared(x)
			f.place(x)
		}
	}
	if f.isPlaced(u) {
		f.left[u] = f.behind(u, f.of[u])
	}
}

func (f *framer) isPlaced(u *unit) bool {
	_, is := f.of[u]
	return is
}

func (f *framer) place(u *unit) {
	chain := f.chain(u)
	behind := f.behind(u, chain)
	for i, fr := range chain {
		if behind.has(fr.id) { // this one and all inside of it begin anew
			for _, old := range chain[i:] {
				delete(f.current, scopeKey{old.part, old.scope})
			}
			chain = f.chain(u)
			behind = f.behind(u, chain)
			break
		}
	}
	f.of[u], f.left[u] = chain, behind
}

// chain returns the frames that are open for a unit's scopes, and opens those that are not.
func (f *framer) chain(u *unit) (chain []*frame) {
	var outer *frame
	for i := 0; i < len(u.scope); {
		if next := strings.Index(u.scope[i:], graph.ScopeSeparator); next < 0 {
			i = len(u.scope)
		} else {
			i += next
		}
		if i == 0 { // a name that begins with a separator
			i += len(graph.ScopeSeparator)
			continue
		}
		key := scopeKey{u.part, u.scope[:i]}
		fr := f.current[key]
		if fr == nil || fr.outer != outer {
			fr = &frame{part: u.part, scope: key.scope, outer: outer, id: f.count}
			if !u.isCard() && u.first().framed {
				fr.kernel = u.first().kernel
			}
			f.count++
			f.current[key] = fr
		}
		chain, outer = append(chain, fr), fr
		i++
	}
	return chain
}

// behind returns the frames that some way to the unit has left.
func (f *framer) behind(u *unit, chain []*frame) frameSet {
	var set frameSet
	for _, l := range u.in {
		if l.chip {
			continue
		}
		set = set.union(f.left[l.from])
		for _, fr := range f.of[l.from] {
			if !slices.Contains(chain, fr) {
				set = set.with(fr.id)
			}
		}
	}
	return set
}

// frameSet is a set of frames' numbers, a bit each.
type frameSet []uint64

func (s frameSet) has(i int) bool { return i/64 < len(s) && s[i/64]>>(i%64)&1 != 0 }

func (s frameSet) with(i int) frameSet {
	s = slices.Clone(s)
	for len(s) <= i/64 {
		s = append(s, 0)
	}
	s[i/64] |= 1 << (i % 64)
	return s
}

func (s frameSet) union(t frameSet) frameSet {
	if len(s) < len(t) {
		s, t = t, s
	}
	if len(t) == 0 {
		return s
	}
	s = slices.Clone(s)
	for i, w := range t {
		s[i] |= w
	}
	return s
}
