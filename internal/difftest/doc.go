// Package difftest compares Broadloom with an independent evaluator, package eager, on random
// programs. A program is plain data: it is generated from a seed, built as a graph, compiled, run
// at several sizes on several threads, compared element by element, and, if the answers
// differ, reduced and written as a Go program. Package cmd runs it on every instruction set
// and next to PyTorch.
//
// gen.go generates a program step by step. The generators are in files by kind: gengrow.go has values and the mixtures
// of steps, genmove.go movements, genmatrix.go matrices and volumes, gensignal.go spectra, images and quantised
// numbers, genmeet.go sizes that meet, geneinsum.go and genlayers.go products and layers, genloss.go losses, genloop.go
// loops and branches, gennest.go those in their bodies, genwrite.go writes in place, genscatter.go, genunite.go and
// genoutside.go by index, and genfinish.go gradients and the end.
//
// build.go builds the graph, by calls.go with its words in buildoptions.go and its functions in signs.go, and
// buildloop.go its loops; run.go runs it; answer.go is the evaluator's answer, compare.go defines equality, elements.go
// reads and creates elements, rounding.go decides which differences are rounding, and refused.go which rejections are
// right; check.go combines all of these. shrink.go reduces a program, shrinkbody.go the bodies in it, and gosource.go
// writes it as Go, goloop.go its loops. soak.go runs many programs for a long time; torch.go runs PyTorch.
package difftest
