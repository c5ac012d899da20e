package viz

import (
	"slices"
	"strings"
)

// divide notes over which mesh axes values are divided.
func (b *graphModel) divide(o *options) {
	for i, n := range b.g.Nodes() {
		v := b.values[i]
		for axis, names := range o.divided(n) {
			if len(names) == 0 {
				continue
			}
			for _, name := range names {
				if at := slices.Index(o.divisions, name); at >= 0 && at < maxDivisions {
					v.divided = append(v.divided, at)
				}
			}
			if v.role != roleReduce && axis < len(v.typ.axes) { // whose type is its operand's
				v.typ.axes[axis].size += "/" + strings.Join(names, "*")
			}
		}
		slices.Sort(v.divided)
	}
}

// maxDivisions bounds the mesh axes that have a colour.
const maxDivisions = 4

// divisionColours are the lines of an edge, one for each mesh axis.
func (t *Theme) divisionColours(divided []int) string {
	colours := make([]string, len(divided))
	for i, d := range divided {
		colours[i] = t.Divisions[d]
	}
	return strings.Join(colours, ":")
}

// divisionEntries explain the colours of mesh axes that occur.
func (u *uses) divisionEntries(names []string) (entries []legendEntry) {
	for i, used := range u.divisions {
		if used {
			entries = append(entries, legendEntry{
				mark: []span{{text: "→", style: styleDivision, division: i}}, text: "divided over " + names[i]})
		}
	}
	return entries
}
