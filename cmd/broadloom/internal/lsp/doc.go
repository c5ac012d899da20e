// Package lsp is a language server: editors use it to show mistakes in the shapes of models while they are written,
// and the shape of every value next to its call.
//
//   - server.go: a connection, from initialize to exit
//   - stream.go: the messages of a connection
//   - documents.go: the open documents
//   - schedule.go: when each package is checked
//   - check.go: one check of a package
//   - source.go: a file as it was checked: its calls, assignments and lines
//   - diagnostics.go: findings for the editor
//   - hints.go: shapes next to values
//   - hover.go: the value at the cursor
package lsp
