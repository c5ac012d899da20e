// The products command measures products of matrices with Broadloom and with OpenBLAS,
// through NumPy, by turns. Without -python it measures Broadloom only.
//
//	go run -C bench ./products -python python3
package main

import (
	"os"

	"github.com/broadloom/broadloom/bench/sidebyside"
)

func main() { os.Exit(sidebyside.Main("NumPy", tasks())) }
