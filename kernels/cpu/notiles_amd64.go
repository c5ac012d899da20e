//go:build !linux

package cpu

// askForTiles finds no way to ask this system.
func askForTiles() bool { return false }
