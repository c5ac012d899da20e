// Package cpu tells which vector instructions kernels may use on this machine, and how large its
// caches are, and has a thread flush denormal numbers.
//
// cpu.go chooses, by the machine and the environment; cache.go has the caches, denormals.go flushes. cpu_amd64.go asks the
// processor, and cpu_other.go has none to ask. products.go has instructions for products of narrow numbers: products_amd64.go asks for
// them, tiles_linux_amd64.go asks the system for registers, and notiles_amd64.go has no system to ask.
package cpu
