package exec

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestWarningsThatWereToldAreFew counts the texts that are kept of many different warnings.
func TestWarningsThatWereToldAreFew(t *testing.T) {
	for i := range 3 * maxTold {
		text := fmt.Sprint("warning ", i)
		assert.True(t, isNews(text))
		assert.False(t, isNews(text))
	}
	assert.LessOrEqual(t, len(told.texts), maxTold)
}
