// Package aot has vector code of single primitives that is part of the program, for
// where no executable memory can be had. It is what package codegen makes of programs of
// one primitive, written to an assembly file by the command gen; it gives the same bits
// as the portable loops.
//
// aot.go finds and calls it; table_amd64.go and table_arm64.go are the tables that gen writes, table_other.go the
// empty one.
package aot
