// Package archtest tests the architecture: which package may import which,
// how long a file may be, and that every package has a package comment.
package archtest
