package launch_test

import (
	"context"
	"fmt"

	"github.com/broadloom/broadloom/reach/launch"
)

// A folder that reach.Plan.Export wrote runs for a number of steps; what is asked for is checked before Python is.
func ExampleRun() {
	config := launch.Config{Folder: "gpt.export", Steps: 0}
	fmt.Println(launch.Run(context.Background(), config))
	// Output: launch: 0 steps: there must be at least 1
}
