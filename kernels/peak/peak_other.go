//go:build !amd64 && !arm64

package peak

const chains = 0

// Loop does nothing on this processor.
func Loop() error { return nil }

func vectorBytes() int { return 0 }
