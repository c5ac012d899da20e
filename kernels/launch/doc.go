// Package launch is what stands between a row program and a call of it: the arguments,
// their check against the program's rules, and what can be done to arguments once
// the sizes are known, such as merging axes and splitting work.
//
// Everything here happens when sizes are bound, but for patching pointers, cutting
// ranges and adding up partial results, which allocate nothing.
//
// args.go is arguments, check.go and overlap.go check them. coalesce.go merges axes and
// reshape.go gives others. chunksums.go and partial.go are sums in chunks, on several threads.
package launch
