package symbolic

import "slices"

// maxResidues bounds the values that are tried of the factors of a size, for one divisor.
const maxResidues = 1 << 10

// residueOf returns the remainder that p leaves modulo k, if it is known to be the same for all values of its names:
// n·n - n is always even.
func (p polynomial) residueOf(k int64, bounds BoundsOf) (rest int64, ok bool) {
	var atoms []atom
	for _, t := range p {
		for _, a := range t.atoms {
			if !slices.Contains(atoms, a) {
				atoms = append(atoms, a)
			}
		}
	}
	steps, count := make([]residues, len(atoms)), int64(1)
	for i, a := range atoms {
		if steps[i] = a.residues(k, bounds); count > maxResidues {
			return 0, false
		}
		count *= steps[i].count
	}
	if count > maxResidues {
		return 0, false
	}
	values := make([]int64, len(atoms))
	for i := range values {
		values[i] = steps[i].first
	}
	rest = p.modulo(k, atoms, values)
	for range count - 1 {
		for i := range values { // the next choice, as an odometer
			values[i] += steps[i].step
			if values[i] < steps[i].first+steps[i].count*steps[i].step {
				break
			}
			values[i] = steps[i].first
		}
		if p.modulo(k, atoms, values) != rest {
			return 0, false
		}
	}
	return rest, true
}

// residues are the values that an atom may have modulo a number: first, first+step and so on.
type residues struct{ first, step, count int64 }

func (a atom) residues(k int64, bounds BoundsOf) residues {
	if a.name == "" || bounds == nil {
		return residues{0, 1, k}
	}
	b := bounds(a.name)
	if b.Max > 0 && b.Min == b.Max {
		return residues{b.Min % k, 1, 1}
	}
	step := gcd(max(b.Multiple, 1), k)
	return residues{0, step, k / step}
}

// modulo returns p's value modulo k, of at most maxResidues.
func (p polynomial) modulo(k int64, atoms []atom, values []int64) (sum int64) {
	for _, t := range p {
		v := (t.coef%k + k) % k
		for _, a := range t.atoms {
			v = v * (values[slices.Index(atoms, a)] % k) % k
		}
		sum = (sum + v) % k
	}
	return sum
}

// isLinear reports whether no factors are multiplied in p.
func (p polynomial) isLinear() bool {
	return !slices.ContainsFunc(p, func(t term) bool { return len(t.atoms) > 1 })
}
