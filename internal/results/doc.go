// Package results takes the results of a user's Go function. It detects missing results, and writes to memory of
// others.
package results
