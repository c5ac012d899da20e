// Package cpu reports which vector instructions kernels may use on this machine, and the sizes of its
// caches, and can make a thread flush denormal numbers.
//
// cpu.go chooses, depending on the machine and the environment; cache.go has the caches, and denormals.go flushes.
// cpu_amd64.go queries the processor, and cpu_other.go reports nothing. products.go has instructions for products of
// narrow numbers: products_amd64.go queries them, tiles_linux_amd64.go requests tile registers from the system, and
// notiles_amd64.go is for other systems.
package cpu
