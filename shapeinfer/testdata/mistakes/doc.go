// Package mistakes holds small programs with typical mistakes. Each is the subject of a
// golden test: the text of its report stands in the file of the same name.
package mistakes
