// Package launch is what stands between a row program and a call of it: the arguments,
// their check against the program's rules, and what can be done to arguments once
// the sizes are known, such as merging axes and splitting work.
//
// Everything here happens when sizes are bound, but for patching pointers, cutting
// ranges and adding up partial results, which allocate nothing.
package launch
