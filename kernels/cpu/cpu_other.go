//go:build !amd64

package cpu

func detect() ISA { return Portable }

func detectCaches() hierarchy { return common }
