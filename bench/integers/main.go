// The integers command measures products and convolutions of quantised integers with Broadloom and
// with ONNX Runtime by turns. Without -python it measures Broadloom only.
//
//	go run -C bench ./integers -python python3
package main

import (
	"os"

	"github.com/broadloom/broadloom/bench/sidebyside"
)

func main() { os.Exit(sidebyside.Main("ONNX Runtime", tasks())) }
