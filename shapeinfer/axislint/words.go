package axislint

import (
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// silence is the help for what is meant.
func silence(code, policy string) string {
	return fmt.Sprintf("to keep it: Silence(graph.%s) on the result, or Policy.%s = graph.AllowSilently", code, policy)
}

func sizes(s graph.Shape) string {
	words := make([]string, len(s))
	for i, d := range s {
		words[i] = d.String()
	}
	return strings.Join(words, ", ")
}
