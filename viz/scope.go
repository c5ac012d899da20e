package viz

import (
	"path"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// parentScope returns the scope around a scope, or "".
func parentScope(scope string) string {
	i := strings.LastIndex(scope, graph.ScopeSeparator)
	if i < 0 {
		return ""
	}
	return scope[:i]
}

// lastName returns the innermost name of a scope.
func lastName(scope string) string { return scope[strings.LastIndex(scope, graph.ScopeSeparator)+1:] }

// outerScope returns the part of a scope that is depth names long; ok is false where the
// scope is not that deep.
func outerScope(scope string, depth int) (outer string, ok bool) {
	if scope == "" {
		return "", false
	}
	for i := range len(scope) {
		if strings.HasPrefix(scope[i:], graph.ScopeSeparator) {
			if depth--; depth == 0 {
				return scope[:i], true
			}
		}
	}
	return scope, depth == 1
}

// scopeDepth counts the names of a scope.
func scopeDepth(scope string) int {
	if scope == "" {
		return 0
	}
	return strings.Count(scope, graph.ScopeSeparator) + 1
}

// matchScope reports whether a scope matches a pattern of [Fold]. A malformed pattern
// matches nothing.
func matchScope(pattern, scope string) bool {
	if !strings.Contains(pattern, graph.ScopeSeparator) {
		scope = lastName(scope)
	}
	slashes := strings.NewReplacer(graph.ScopeSeparator, "/") // which no star of path.Match matches
	ok, err := path.Match(slashes.Replace(pattern), slashes.Replace(scope))
	return err == nil && ok
}
