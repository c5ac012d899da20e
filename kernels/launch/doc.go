// Package launch prepares calls of row programs. It has the arguments, checks them against the program's rules, and
// transforms them once the sizes are known, for example by merging axes and splitting work.
//
// Everything here happens when sizes are bound, except patching pointers, dividing
// ranges and adding up partial results, which allocate nothing.
//
// args.go has the arguments, and check.go and overlap.go check them. coalesce.go merges axes and
// reshape.go changes them. chunksums.go and partial.go compute sums in chunks, on several threads.
package launch
