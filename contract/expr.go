package contract

import (
	"github.com/broadloom/broadloom/graph"
)

// operator is what an expression does.
type operator uint8

const (
	number operator = iota
	name
	plus
	minus
	times
	exactly // x/y, which must leave no rest
	floor   // x//y
	modulo
	least
)

// expr is a size as it is written in a form.
type expr struct {
	op   operator
	num  int64
	name string
	x, y *expr
}

// local is the size that represents a name of the contract until the name's size is known. No program can declare a
// size of this name.
func local(name string) graph.Dim { return graph.SymbolicDim(localMark + name) }

const localMark = "ʼ"

// quotient is an exact division: the size q with q·by == of.
type quotient struct {
	q      string // the name that stands for it
	of, by graph.Dim
}

// lowering turns expressions into sizes over names of the contract.
type lowering struct {
	newName   func() string
	quotients []quotient
	divisors  []graph.Dim // what is divided by, besides numbers
}

// size returns the size that an expression is.
func (l *lowering) size(e *expr) graph.Dim {
	switch e.op {
	case number:
		return graph.Dim(e.num)
	case name:
		return local(e.name)
	}
	x, y := l.size(e.x), l.size(e.y)
	switch e.op {
	case plus:
		return x.Plus(y)
	case minus:
		return x.Minus(y)
	case times:
		return x.Times(y)
	case least:
		return graph.MinDim(x, y)
	}
	if !y.IsConst() {
		l.divisors = append(l.divisors, y)
	}
	switch e.op {
	case floor:
		return x.FloorDivBy(y)
	case modulo:
		return x.Minus(x.FloorDivBy(y).Times(y))
	}
	if q, ok := x.ExactDiv(y); ok {
		return q
	}
	q := l.newName()
	l.quotients = append(l.quotients, quotient{q, x, y})
	return local(q)
}
