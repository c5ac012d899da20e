package symbolic_test

import (
	"fmt"
	"testing"

	"github.com/broadloom/broadloom/graph/symbolic"
	"github.com/stretchr/testify/assert"
)

// TestDivisionKeepsNoRests counts the entries of the table that a division of a size of
// many terms leaves behind: that of the result, and no more than there are factors.
func TestDivisionKeepsNoRests(t *testing.T) {
	product, most := symbolic.Dim(1), symbolic.Dim(1)
	for i := range 12 {
		d := symbolic.Named(fmt.Sprintf("factor%d", i)).Plus(1)
		if product = product.Times(d); i > 0 {
			most = most.Times(d)
		}
	}
	first := symbolic.Named("factor0").Plus(1)
	before := symbolic.Entries()
	for _, c := range []struct{ divisor, want symbolic.Dim }{{1, product}, {most, first}, {first, most}, {product, 1}} {
		q, exact := product.ExactDiv(c.divisor)
		assert.True(t, exact)
		assert.Equal(t, c.want, q)
	}
	_, exact := product.ExactDiv(first.Plus(1))
	assert.False(t, exact)
	assert.Less(t, symbolic.Entries()-before, 12)
}
