package viz

// uses notes what occurs in a picture, for its legend.
type uses struct {
	looks                       [lookCount]bool
	stretch, maybe, sum, writes bool
	kernels, planned            bool
	divisions                   [maxDivisions]bool
}

func (u *uses) box(b *box) { u.looks[b.look] = true }

func (u *uses) edge(e edge) {
	u.writes = u.writes || e.style == edgeWrite
	for _, d := range e.divided {
		u.divisions[d] = true
	}
}

func (u *uses) axes(axes []axis) {
	for _, a := range axes {
		u.stretch = u.stretch || a.mark == markStretched
		u.maybe = u.maybe || a.mark == markUndecided
		u.sum = u.sum || a.mark == markSummed
	}
}

// lookNames lists the looks that a legend explains, in its order; the others speak for
// themselves.
var lookNames = []struct {
	look look
	text string
}{
	{lookInput, "input"},
	{lookParam, "parameter"},
	{lookConst, "constant"},
	{lookOutput, "output"},
	{lookKept, "read by the gradient"},
	{lookStored, "written to memory"},
	{lookReduce, "reduction"},
	{lookCard, "folded scope"},
	{lookKernel, "kernel"},
	{lookWrong, "mistake"},
	{lookSilent, "not judged or not used"},
}

func (u *uses) legend(divisions []string) []legendEntry {
	var entries []legendEntry
	for _, l := range lookNames {
		if u.looks[l.look] {
			entries = append(entries, legendEntry{look: l.look, text: l.text})
			if l.look == lookKept && u.planned {
				entries[len(entries)-1].text = "kept for gradient"
			}
		}
	}
	add := func(used bool, mark span, text string) {
		if used {
			entries = append(entries, legendEntry{mark: []span{mark}, text: text})
		}
	}
	if u.kernels {
		entries = append(entries, legendEntry{kernel: true, text: "fused kernel"})
	}
	add(u.stretch, span{text: "32", style: styleStretch}, "axis stretched by broadcasting")
	add(u.maybe, span{text: "n", style: styleMaybe}, "stretched if its size is 1")
	add(u.writes, span{text: "→", style: styleBad}, "written in place")
	add(u.sum, span{text: "32", style: styleSummed}, "axis summed")
	return append(entries, u.divisionEntries(divisions)...)
}

func (u *uses) add(more uses) {
	for l := range u.looks {
		u.looks[l] = u.looks[l] || more.looks[l]
	}
	u.stretch, u.maybe = u.stretch || more.stretch, u.maybe || more.maybe
	u.kernels, u.planned = u.kernels || more.kernels, u.planned || more.planned
	for d := range u.divisions {
		u.divisions[d] = u.divisions[d] || more.divisions[d]
	}
	u.sum, u.writes = u.sum || more.sum, u.writes || more.writes
}
