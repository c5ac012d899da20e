// Package archtest holds the test of the architecture: which package may import which,
// how long a file may be, and that every package says what it is for.
package archtest
