// Package memory describes where the elements of values that are fed to runs, or kept from run to run, are stored: see [Value], in value.go.
package memory
