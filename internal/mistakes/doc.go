// Package mistakes is a collection of programs as people write them, right ones and wrong
// ones, and a test of what the check of shapes says of each. All of it stands in test files:
// table_test.go tells how a program says what is expected of it.
package mistakes
