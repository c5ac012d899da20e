package symbolic

// Factor is one factor of a term of a normal form.
type Factor struct {
	Name string // of a named size
	P, Q Dim    // of floor(P/K), floor(P/Q), P/Q, broadcast(P, Q), min(P, Q) or P
	K    int64  // of floor(P/K); -1 of floor(P/Q); -2 of P; -3 of min(P, Q); -4 of P/Q; else 0
}

// IsQuotient reports whether the factor is the quotient P/Q of a division without remainder.
func (f Factor) IsQuotient() bool { return f.K == exactly }

// IsSum reports whether the factor is a sum P, which stays factored because the product would have too many terms.
func (f Factor) IsSum() bool { return f.K == whole }

// IsMin reports whether the factor is the lesser of P and Q.
func (f Factor) IsMin() bool { return f.K == lesser }

// Terms calls f for each term of d's normal form, with its coefficient and its factors. It returns false if d has no
// normal form.
func (d Dim) Terms(f func(coef int64, factors []Factor)) bool {
	p, ok := d.poly()
	for _, t := range p {
		factors := make([]Factor, len(t.atoms))
		for i, a := range t.atoms {
			factors[i] = Factor{a.name, a.p, a.q, a.k}
		}
		f(t.coef, factors)
	}
	return ok
}
