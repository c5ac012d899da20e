//go:build !amd64

package gather

// addRows reports that there is no code that adds rows.
func addRows[T Number, I Index](*uniting) bool { return false }
