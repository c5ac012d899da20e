//go:build !amd64

package cpu

import "runtime"

// detect knows that all processors of arm64 have NEON.
func detect() ISA {
	if runtime.GOARCH == "arm64" {
		return NEON
	}
	return Portable
}

func detectCaches() hierarchy { return common }

const flushBits = 0

func floatControl() uint32 { return 0 }

func setFloatControl(uint32) {}

func productsOf(ISA) Products { return Products{} }
