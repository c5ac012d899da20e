// Package results takes the results of a user's Go function, and detects results that are missing, and writes to memory that is not its own.
package results
