// The functions command measures Fourier transforms, and systems and factors of matrices, with Broadloom and with
// PyTorch by turns. Without -python it measures Broadloom only.
//
//	go run -C bench ./functions -python python3
package main

import (
	"os"

	"github.com/broadloom/broadloom/bench/sidebyside"
)

func main() { os.Exit(sidebyside.Main("PyTorch", tasks())) }
