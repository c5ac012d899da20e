package graph

import "slices"

// Locate resolves a position like [Pos.Frame], and finds the column of the call in the source. Calls of the same
// function on one line are distinguished by other nodes of that line.
func (g *Graph) Locate(p Pos) (f Frame, ok bool) {
	frames := p.users()
	if len(frames) == 0 {
		return Frame{}, false
	}
	f = frames[0].Frame
	if call, found := g.sourceCall(0, frames[0]); found {
		f.Column = call.column
	}
	return f, true
}

// sourceCall returns the call in the source that a frame stands for; depth counts the user's frames inside it. Calls
// of one function on one line are told apart by their order in the compiled program.
func (g *Graph) sourceCall(depth int, frame userFrame) (call sourceCall, ok bool) {
	calls := callsAt(frame.File, frame.Line, frame.callee)
	if len(calls) == 1 {
		return calls[0], true
	}
	if len(calls) == 0 || g == nil {
		return sourceCall{}, false
	}
	sites := g.sitesOf(depth, frame)
	if at := slices.Index(sites, frame.site); at >= 0 && len(sites) == len(calls) {
		return calls[at], true
	}
	return sourceCall{}, false
}

// sitesOf lists the calls on a frame's line that led to the graph's nodes and named sizes, in the order of the
// compiled program.
func (g *Graph) sitesOf(depth int, frame userFrame) (sites []callSite) {
	seen := map[Pos]bool{}
	add := func(p Pos) {
		if seen[p] {
			return
		}
		seen[p] = true
		frames := p.users()
		if depth < len(frames) && frames[depth].isLike(frame) && !slices.Contains(sites, frames[depth].site) {
			sites = append(sites, frames[depth].site)
		}
	}
	for _, n := range g.nodes {
		add(n.pos)
	}
	for _, d := range g.dims {
		add(d.pos)
	}
	slices.SortFunc(sites, compareSites)
	return sites
}
