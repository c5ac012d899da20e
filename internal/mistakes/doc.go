// Package mistakes is a collection of programs as people write them, right ones and wrong
// ones, and a test of the shape check's messages for each. All of it is in test files:
// table_test.go explains how a program states what is expected of it.
package mistakes
