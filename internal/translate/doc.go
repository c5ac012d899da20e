// Package translate visits the nodes of a graph to write the program in another language, such as StableHLO or ONNX. It
// decides in which order and into which blocks nodes are written, and expands those that a language lacks. What a node
// becomes is up to the [Language].
//
// # Files
//
//   - walk.go visits nodes, each after its operands, in the block of its loop
//   - expand.go writes operations by means of others
//   - loop.go keeps what the nodes of a loop need of each other
//   - roots.go checks what is to be written
package translate
