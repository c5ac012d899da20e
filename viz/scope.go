package viz

import (
	"path"
	"strings"
)

// parentScope returns the scope around a scope, or "".
func parentScope(scope string) string {
	i := strings.LastIndexByte(scope, '/')
	if i < 0 {
		return ""
	}
	return scope[:i]
}

// lastName returns the innermost name of a scope.
func lastName(scope string) string { return scope[strings.LastIndexByte(scope, '/')+1:] }

// outerScope returns the part of a scope that is depth names long; ok is false where the
// scope is not that deep.
func outerScope(scope string, depth int) (outer string, ok bool) {
	if scope == "" {
		return "", false
	}
	for i := range len(scope) {
		if scope[i] == '/' {
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
	return strings.Count(scope, "/") + 1
}

// matchScope reports whether a scope matches a pattern of [Fold]. A malformed pattern
// matches nothing.
func matchScope(pattern, scope string) bool {
	if !strings.Contains(pattern, "/") {
		scope = lastName(scope)
	}
	ok, err := path.Match(pattern, scope)
	return err == nil && ok
}
