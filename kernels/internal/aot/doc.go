// Package aot has vector code for single primitives that is part of the binary, for systems without executable memory.
// Package codegen generates it from programs with one primitive, and the command gen writes it to an assembly file. It
// gives the same bits as the portable loops.
//
// aot.go finds and calls it; table_amd64.go and table_arm64.go are the tables that gen writes, and table_other.go is
// the empty one.
package aot
