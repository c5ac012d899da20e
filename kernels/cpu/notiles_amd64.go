//go:build !linux

package cpu

// askForTiles reports false: there is no way to ask this system.
func askForTiles() bool { return false }
