//go:build !amd64

package cpu

import "runtime"

// detect returns NEON on arm64, since all its processors have it.
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
