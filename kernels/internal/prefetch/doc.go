// Package prefetch loads memory into the cache before it is needed.
//
// Rows named by indices can be anywhere, so no processor can predict them: each one costs the full latency of memory,
// unless several are requested at once. A prefetch changes only the caches, and does nothing on processors other than
// amd64 and arm64.
//
// # Files
//
// prefetch.go is for rows; lines_amd64.go and lines_arm64.go declare the code in lines_amd64.s and lines_arm64.s, and
// lines_other.go has none.
package prefetch
