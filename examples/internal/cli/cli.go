// Package cli has code shared by the example commands: how they start, end and read flags.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// Main runs a command until it ends or the user interrupts it. An error is written to standard error,
// and the process exits with status 1.
func Main(name string, run func(ctx context.Context, args []string, stdout io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// Parse reads the flags that declare defines. Integers must be at least 1.
func Parse(name string, args []string, declare func(f *flag.FlagSet)) error {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	declare(f)
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("%q is no flag; -help lists them", f.Arg(0))
	}
	var bad error
	f.VisitAll(func(flag *flag.Flag) {
		if n, is := flag.Value.(interface{ Get() any }).Get().(int); is && n < 1 {
			bad = fmt.Errorf("-%s must be at least 1, and is %d", flag.Name, n)
		}
	})
	return bad
}
