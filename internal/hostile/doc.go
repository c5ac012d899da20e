// Package hostile has the test that calls every exported function and method of the
// library with arguments that no careful user would pass, one at a time and in pairs.
// Whatever they are, nothing may panic, hang or request excessive memory, and a
// mistake must be recognised as the user's: a graph that passes the check compiles and runs.
// Operands with 32 and 33 axes are tried with every function.
// sweep_test.go makes random calls for which the programs of testdata/sweep have recorded PyTorch's results.
// By default a sample of the calls is made; go test -full makes many more.
package hostile
