//go:build !amd64

package cpu

func detect() ISA { return Portable }

func detectCaches() hierarchy { return common }

const flushBits = 0

func floatControl() uint32 { return 0 }

func setFloatControl(uint32) {}

func productsOf(ISA) Products { return Products{} }
