// Package hostile holds the test that calls every exported function and method of the
// library with arguments that no careful user would give, one at a time and in pairs.
// Whatever they are, nothing may panic, hang or ask for memory without measure, and a
// mistake must be recognised as the user's: what the check accepts compiles, and runs.
// Operands of 32 and 33 axes are tried with every function.
// sweep_test.go makes random calls that PyTorch has answered, which the programs of testdata/sweep have written.
// By default a sample of the calls is made; go test -full makes many more.
package hostile
