// Package archtest tests the architecture: which package may import which,
// how long files and lines may be, and that every package has a package comment.
package archtest
