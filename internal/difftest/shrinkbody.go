package difftest

import "github.com/broadloom/broadloom/internal/difftest/eager"

// body is a list of steps in a step, and the number of its given values.
type body struct {
	steps *[]eager.Step
	given int
	last  int // how many values it hands on
}

// bodiesOf lists the bodies of a step.
func bodiesOf(s *eager.Step) []body {
	n := len(s.In)
	switch s.Op {
	case "Scan":
		return []body{{&s.Body, n, s.I[1]}}
	case "Fori":
		return []body{{&s.Body, n + 1, s.I[0]}}
	case "While":
		return []body{{&s.Body, n + 1, s.I[0]}, {&s.Else, n, 1}}
	case "Cond":
		return []body{{&s.Body, n - 1, s.I[0]}, {&s.Else, n - 1, s.I[0]}}
	}
	return nil
}

// allBodies lists the bodies of steps, and those in bodies.
func allBodies(steps []eager.Step) (list []body) {
	for i := range steps {
		for _, b := range bodiesOf(&steps[i]) {
			list = append(append(list, b), allBodies(*b.steps)...)
		}
	}
	return list
}

// changesOfBodies lists changes that may reduce the bodies of a program: they drop a step, and a value before it
// replaces its results.
func changesOfBodies(p *eager.Program) (list []func(*eager.Program) bool) {
	for at, b := range allBodies(p.Steps) {
		for k := len(*b.steps) - b.last - 1; k >= 0; k-- {
			places := []int{0}
			for _, x := range (*b.steps)[k].In {
				if x != 0 {
					places = append(places, x)
				}
			}
			for _, x := range places {
				list = append(list, func(q *eager.Program) bool {
					allBodies(q.Steps)[at].drop(k, x)
					return true
				})
			}
		}
	}
	return list
}

// drop removes a step; value x replaces its results.
func (b body) drop(k, x int) {
	first := b.given
	for _, s := range (*b.steps)[:k] {
		first += s.N
	}
	n := (*b.steps)[k].N
	*b.steps = append((*b.steps)[:k:k], (*b.steps)[k+1:]...)
	for _, s := range *b.steps {
		for i, v := range s.In {
			switch {
			case v >= first+n:
				s.In[i] = v - n
			case v >= first:
				s.In[i] = x
			}
		}
	}
}
