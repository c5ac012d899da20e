// Package shapeinfer holds the rules of shapes and dtypes, as functions on shapes,
// and the static pass that checks a whole graph and reports.
//
// The law of broadcasting is PyTorch's "Broadcasting semantics" page: shapes are
// lined up from the right; on each axis, all sizes that are present and not 1 must be
// equal. NumPy agrees in every case; 0 is an ordinary size. Sizes may be expressions
// over names; a rule then proves what it requires, refuses it, or leaves it to the
// binding of sizes.
package shapeinfer
