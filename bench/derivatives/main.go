// The derivatives command measures functions of one example over batches, Jacobians, Hessians and derivatives in
// directions with Broadloom and with JAX by turns. Without -python it measures Broadloom only.
//
//	go run -C bench ./derivatives -python python3
package main

import (
	"os"

	"github.com/broadloom/broadloom/bench/sidebyside"
)

func main() { os.Exit(sidebyside.Main("JAX", tasks())) }
