// Package memory describes where the elements of values are stored that are fed to runs, or kept between them: see
// [Value], in value.go.
package memory
