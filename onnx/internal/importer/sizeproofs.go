package importer

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// maxLengths is how many lengths of axes are remembered.
const maxLengths = 64

// noteLengths remembers the lengths of a tensor's axes, of which none is negative where the model runs, if the
// bounds of their names do not say so: those of floor((n-400)/320) do not.
func (b *builder) noteLengths(shape graph.Shape) {
	for _, d := range shape {
		if len(b.lengths) < maxLengths && !d.IsConst() && !b.isOpen(d) && b.prover.AtLeast(d, 0) != prove.Proved {
			b.lengths[d] = true
		}
	}
}

// isAboveLength reports whether a size is the length of an axis, or that with a number added.
func (b *builder) isAboveLength(d graph.Dim) bool {
	if b.lengths[d] {
		return true
	}
	for length := range b.lengths {
		if more, isNumber := d.Minus(length).Int(); isNumber && more >= 0 {
			return true
		}
	}
	return false
}

// atLeast reports whether a size is proved to be n or more.
func (c *call) atLeast(d graph.Dim, n int64) bool {
	return c.prover.AtLeast(d, n) == prove.Proved || c.isAboveLength(d.Minus(graph.Dim(n)))
}

// equal decides whether two sizes are equal, where that is the same for all sizes.
func (c *call) equal(x, y graph.Dim) (is, ok bool) {
	if c.prover.NotEqual(x, y) {
		return false, true
	}
	if c.prover.Equal(x, y) == prove.Proved {
		return true, true
	}
	return false, c.atLeast(x.Minus(y), 1) || c.atLeast(y.Minus(x), 1)
}

// less decides whether x is less than y, where that is the same for all sizes.
func (c *call) less(x, y graph.Dim) (is, ok bool) {
	return c.atLeast(y.Minus(x), 1), c.prover.AtLeast(y.Minus(x), 1) == prove.Refused ||
		c.atLeast(y.Minus(x), 1) || c.atLeast(x.Minus(y), 0)
}
