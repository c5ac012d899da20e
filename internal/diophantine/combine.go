package diophantine

import "slices"

// The limits of combining inequalities.
const (
	maxCombined   = 160
	maxEliminated = 12
)

// combine looks for a sum of inequalities that is a negative number, by Fourier-Motzkin elimination. Each product of
// unknowns is a separate column.
func combine(st *state) (contradiction bool) {
	rows := st.rows()
	for range maxEliminated {
		column := fewestPairs(rows)
		if column == nil || !st.spend(len(rows)) {
			return false
		}
		var kept, above, below []Poly
		for _, p := range rows {
			switch c := p.coefficient(column); {
			case c > 0:
				below = append(below, p) // bounds the column from below
			case c < 0:
				above = append(above, p)
			default:
				kept = append(kept, p)
			}
		}
		if len(kept)+len(above)*len(below) > maxCombined {
			return false
		}
		if rows, contradiction = st.eliminate(column, kept, above, below); contradiction {
			return true
		}
	}
	return false
}

// eliminate adds to kept the sums of inequalities that bound a column from above and from below in which the column is
// gone. It stops at one that is a negative number.
func (st *state) eliminate(column []Unknown, kept, above, below []Poly) (rows []Poly, contradiction bool) {
	for _, p := range below {
		for _, q := range above {
			a, b := p.coefficient(column), -q.coefficient(column)
			g := gcd(a, b)
			sum := p.Scale(b / g).Plus(q.Scale(a / g))
			if !st.spend(1+len(sum.terms)) || sum.lost {
				continue
			}
			if c := sum.content(); c > 1 {
				sum = sum.divide(c)
			}
			if !sum.isConst() {
				kept = strongest(kept, sum)
			} else if sum.constant() < 0 {
				return nil, true
			}
		}
	}
	return kept, false
}

// rows returns the inequalities, with unknowns counted from their least values, so that every product of them is at
// least 0.
func (st *state) rows() []Poly {
	var rows []Poly
	add := func(p Poly) {
		p = st.fromLeast(p)
		if g := p.content(); g > 1 {
			p = p.divide(g)
		}
		if !p.lost && !p.isConst() {
			rows = strongest(rows, p)
		}
	}
	for _, p := range st.ge {
		add(p)
	}
	for _, p := range st.eq {
		add(p)
		add(p.Scale(-1))
	}
	var columns [][]Unknown
	for _, p := range rows {
		for _, t := range p.withoutConstant() {
			if !slices.ContainsFunc(columns, func(c []Unknown) bool { return slices.Equal(c, t.of) }) {
				columns = append(columns, t.of)
			}
		}
	}
	for _, of := range columns {
		column := Poly{terms: []term{{1, of}}}
		if !slices.ContainsFunc(of, func(x Unknown) bool { return st.lo[x] <= -infinite }) {
			rows = strongest(rows, column)
		}
		if s := st.sum(column, true); s.hi < infinite {
			rows = strongest(rows, Const(s.hi).Minus(column))
		}
	}
	return rows
}

// strongest adds p, unless an inequality implies it.
func strongest(rows []Poly, p Poly) []Poly {
	for i, q := range rows {
		if equalTerms(p.withoutConstant(), q.withoutConstant(), 1) {
			if p.constant() < q.constant() {
				rows[i] = p
			}
			return rows
		}
	}
	return append(rows, p)
}

// fewestPairs chooses the column whose elimination makes the fewest rows.
func fewestPairs(rows []Poly) []Unknown {
	type count struct {
		of           []Unknown
		above, below int
	}
	var counts []count
	for _, p := range rows {
		for _, t := range p.withoutConstant() {
			i := slices.IndexFunc(counts, func(c count) bool { return slices.Equal(c.of, t.of) })
			if i < 0 {
				i = len(counts)
				counts = append(counts, count{of: t.of})
			}
			if t.coef > 0 {
				counts[i].below++
			} else {
				counts[i].above++
			}
		}
	}
	if len(counts) == 0 {
		return nil
	}
	return slices.MinFunc(counts, func(a, b count) int { return a.above*a.below - b.above*b.below }).of
}

func (p Poly) coefficient(of []Unknown) int64 {
	for _, t := range p.terms {
		if slices.Equal(t.of, of) {
			return t.coef
		}
	}
	return 0
}
