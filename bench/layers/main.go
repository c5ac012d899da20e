// The layers command measures the convolutions of ResNet-50, depthwise and transposed ones with Broadloom and with
// PyTorch by turns. Without -python it measures Broadloom only.
//
//	go run -C bench ./layers -python python3
package main

import (
	"os"

	"github.com/broadloom/broadloom/bench/sidebyside"
)

func main() { os.Exit(sidebyside.Main("PyTorch", tasks())) }
