package lower

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// touched is the values whose memory kernels read or write, and whether they write it.
type touched map[*graph.Node]bool

// touchedBy returns what a kernel touches.
func touchedBy(k Kernel) touched {
	t := touched{}
	for _, o := range k.Operands() {
		if o.Base != nil {
			s := alias.Storage(o.Base)
			t[s] = t[s] || o.Write
		}
	}
	return t
}

// add adds what others touch.
func (t touched) add(others touched) {
	for s, written := range others {
		t[s] = t[s] || written
	}
}

// conflicts reports whether one side writes what the other one reads or writes.
func (t touched) conflicts(other touched) bool {
	for s, written := range t {
		if otherWrites, both := other[s]; both && (written || otherWrites) {
			return true
		}
	}
	return false
}
