// Package pjrt compiles StableHLO and runs it in this process, with a PJRT plugin that the user provides: XLA for a
// CPU, CUDA, ROCm or a TPU, as a shared library that exports GetPjrtApi. It needs no cgo and no Python.
//
//	plugin, err := pjrt.Load("pjrt_plugin.so")
//	client, err := plugin.NewClient()
//	defer client.Close()
//	program, err := client.Compile(ctx, text) // such as module.mlir of broadloom export
//	defer program.Close()
//	results, err := program.Run(ctx, pjrt.Of([]float32{1, 2, 3}, 3))
//	values, err := pjrt.Values[float32](results[0])
//
// A program runs on one device, the first. Arguments are copied to it and results copied back in each run. Everything
// may be called by several goroutines concurrently.
//
// It is for 64-bit machines, and tested on Linux; it compiles for macOS and Windows.
//
// A wrong argument is an error that names it. Errors of the plugin are returned as [Error], in the plugin's own words.
// A plugin is foreign code with the rights of this process: load only those that you trust.
//
// api.go is the C interface, plugin.go loads a library of it, which open_unix.go and open_windows.go open.
// client.go compiles and program.go runs; signature.go reads what a program takes, array.go is what goes in
// and comes out, and wait.go ends waiting with a context.
package pjrt
