// Package difftest compares Broadloom with an evaluator of its own, package eager, on random
// programs. A program is plain data: it is drawn from a number, built as a graph, compiled, run
// at several sizes on several threads, compared element by element, and, where the answers
// differ, made smaller and written as a Go program. Package cmd runs it on every instruction set
// and beside PyTorch.
//
// gen.go draws a program step by step. What it draws stands in files by kind: gengrow.go has
// values and the mixtures of steps, genmove.go movements, genmatrix.go matrices and volumes, gensignal.go spectra, images and quantised numbers, genmeet.go sizes that meet,
// geneinsum.go and genlayers.go products and layers, genloss.go losses, genloop.go loops and
// branches, gennest.go those in their bodies, genwrite.go writes in place, genscatter.go and genunite.go by index, and genfinish.go
// gradients and the end.
//
// build.go builds the graph, by calls.go with its words in buildoptions.go and its functions in signs.go, and buildloop.go its loops; run.go runs it; answer.go
// is what the evaluator says, compare.go what counts as the same, elements.go reads and makes
// elements, rounding.go which differences
// are rounding, and refused.go which refusals are right; check.go puts all of it together.
// shrink.go makes a program smaller, shrinkbody.go the bodies in it, and gosource.go writes it as
// Go, goloop.go its loops. soak.go runs many programs for long; torch.go asks PyTorch.
package difftest
