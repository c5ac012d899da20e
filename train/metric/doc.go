// Package metric judges predictions: it adds up batches and returns measures of all of them. It knows
// slices only.
//
// confusion.go counts which classes were taken for which: accuracy, precision, recall, F1. roc.go is the area
// under the curve of true over false positives, topk.go looks for the class among the best, and mean.go has
// means, of which perplexity is one.
package metric
