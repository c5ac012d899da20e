// Package results takes what a user's Go function leaves as its result, and finds what it leaves out, and what it writes that is not its own.
package results
