package graph

import (
	"cmp"
	"slices"
)

// Locate resolves a position like [Pos.Frame], and finds the column of the call in the source. Calls of the same
// function on one line are distinguished by other nodes of that line.
func (g *Graph) Locate(p Pos) (f Frame, ok bool) {
	var own callSite
	p.users(func(user Frame, site callSite) bool {
		f, own, ok = user, site, true
		return false
	})
	if !ok {
		return f, ok
	}
	switch calls := callsAt(f.File, f.Line, f.Call); {
	case len(calls) == 1:
		f.Column = calls[0].column
	case len(calls) > 1 && g != nil:
		if sites := g.sitesOf(f); len(sites) == len(calls) {
			if at := slices.Index(sites, own); at >= 0 {
				f.Column = calls[at].column
			}
		}
	}
	return f, ok
}

// callsAt lists the calls of a function on a line of the source.
func callsAt(file string, line int, function string) []sourceCall {
	if source := readSource(file); source != nil {
		return source.calls[lineCall{line, function}]
	}
	return nil
}

// sitesOf lists from where the graph's nodes and named sizes were made by one function on one
// line, in the order of the compiled program.
func (g *Graph) sitesOf(f Frame) (sites []callSite) {
	seen := map[Pos]bool{}
	add := func(p Pos) {
		if seen[p] {
			return
		}
		seen[p] = true
		p.users(func(other Frame, site callSite) bool {
			if other == f && !slices.Contains(sites, site) {
				sites = append(sites, site)
			}
			return false
		})
	}
	for _, n := range g.nodes {
		add(n.pos)
	}
	for _, d := range g.dims {
		add(d.pos)
	}
	slices.SortFunc(sites, func(a, b callSite) int {
		return cmp.Or(cmp.Compare(a.own, b.own), cmp.Compare(a.inner, b.inner))
	})
	return sites
}
