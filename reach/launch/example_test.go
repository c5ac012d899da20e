package launch_test

import (
	"context"
	"fmt"

	"github.com/broadloom/broadloom/reach/launch"
)

// Runs a folder that reach.Plan.Export wrote for a number of steps. The request is checked before Python is looked for.
func ExampleRun() {
	config := launch.Config{Folder: "gpt.export", Steps: 0}
	fmt.Println(launch.Run(context.Background(), config))
	// Output: launch: 0 steps: there must be at least 1
}
