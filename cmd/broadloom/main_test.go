package main

import (
	"os"
	"testing"
)

// asCommand is the variable by which tests have their own binary be the command, where another
// program is to start it.
const asCommand = "BROADLOOM_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}
