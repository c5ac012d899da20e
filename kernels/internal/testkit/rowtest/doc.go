// Package rowtest makes random row programs and memory to run them on, for testing
// one back end against another.
package rowtest
