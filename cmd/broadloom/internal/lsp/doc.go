// Package lsp is a server of the language server protocol: editors show with it what is wrong with the
// shapes of models while they are written, and the shape of every value beside its call.
//
//   - server.go: a connection, from initialize to exit
//   - stream.go: the messages of a connection
//   - documents.go: what is open in the editor
//   - schedule.go: when which package is checked
//   - check.go: one check of a package
//   - source.go: a file as it was checked: its calls, assignments and lines
//   - diagnostics.go: findings for the editor
//   - hints.go: shapes beside values
//   - hover.go: a value under the cursor
package lsp
