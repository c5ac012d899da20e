// Package cpu tells which vector instructions kernels may use on this machine.
//
// cpu.go chooses, by the machine and the environment; cpu_amd64.go asks the processor, and
// cpu_other.go has none to ask.
package cpu
