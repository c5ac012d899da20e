// Package prefetch asks for memory before it is needed.
//
// Rows that indices name lie anywhere, so no processor foresees them: each is waited for as long as memory takes, unless
// several are asked for at once. A request changes nothing but the caches, and does nothing on processors other than
// amd64 and arm64.
//
// # Files
//
// prefetch.go is for rows; lines_amd64.go and lines_arm64.go declare the code that lines_amd64.s and lines_arm64.s have, and
// lines_other.go has none.
package prefetch
