package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/broadloom/broadloom/cmd/broadloom/internal/models"
)

// newFlags makes the flags of a command, whose -help shows its table entry.
func newFlags(c command) *flag.FlagSet {
	f := flag.NewFlagSet("broadloom "+c.name, flag.ContinueOnError)
	f.Usage = func() {
		fmt.Fprintf(f.Output(), "usage: broadloom %s\n\n%s\n", strings.TrimSpace(c.name+" "+c.args), c.help)
		f.PrintDefaults()
	}
	return f
}

// parse reads the flags. If stop is true, the command ends with the status. Requested help is the command's output;
// after a mistake a line says where there is help.
func parse(f *flag.FlagSet, args []string, stdout, stderr io.Writer) (status int, stop bool) {
	usage := f.Usage
	f.Usage = func() {}
	f.SetOutput(io.Discard)
	err := f.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		f.SetOutput(stdout)
		usage()
		return exitOK, true
	case err == nil:
		if at := slices.IndexFunc(f.Args(), func(arg string) bool { return len(arg) > 1 && arg[0] == '-' }); at >= 0 {
			err = fmt.Errorf("%s follows %s: flags must come first", f.Arg(at), f.Arg(0))
		}
	}
	if err != nil {
		fmt.Fprintf(stderr, "broadloom: %v\n%s lists the flags\n", err, strings.Replace(f.Name(), " ", " help ", 1))
		return exitFailed, true
	}
	return exitOK, false
}

// given reports whether a flag was given.
func given(f *flag.FlagSet, name string) (is bool) {
	f.Visit(func(set *flag.Flag) { is = is || set.Name == name })
	return is
}

// checkFile reports why a file cannot be written, before long work.
func checkFile(flagName, file string) error {
	if file == "" || file == "-" {
		return nil
	}
	if at, err := os.Stat(file); err == nil && at.IsDir() {
		return fmt.Errorf("-%s %s is a folder: name a file in it", flagName, file)
	}
	if at, err := os.Stat(filepath.Dir(file)); err != nil || !at.IsDir() {
		return fmt.Errorf("-%s %s: there is no folder %s", flagName, file, filepath.Dir(file))
	}
	return nil
}

// untilStopped returns a context that ends when the user or the system asks the command to end: the programs that it
// started are ended then, and its temporary files removed.
func untilStopped() (ctx context.Context, stop func()) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// pattern is a flag that chooses models by their names. Without a value it chooses all.
type pattern struct{ expression *regexp.Regexp }

// String returns the flag's value.
func (p *pattern) String() string {
	if p.expression == nil {
		return ""
	}
	return p.expression.String()
}

// Set reads a regular expression.
func (p *pattern) Set(text string) (err error) {
	p.expression, err = regexp.Compile(text)
	return err
}

func (p *pattern) matches(name string) bool {
	return p.expression == nil || p.expression.MatchString(name)
}

// none says why no model of the packages was chosen.
func (p *pattern) none(packages []models.Package) string {
	var names []string
	for _, pkg := range packages {
		for _, m := range pkg.Models {
			names = append(names, m.Name)
		}
	}
	if len(names) == 0 {
		return "no models were found: mark functions that return a *graph.Graph with a comment " + models.Directive
	}
	return fmt.Sprintf("-run %s: no model has a name that matches; there are: %s", p, strings.Join(names, ", "))
}

// sizes is a flag that binds named sizes: "batch=8", or "h=32,w=32".
type sizes map[string]int64

// String returns the flag's value.
func (s sizes) String() string { return "" }

// Set reads sizes.
func (s sizes) Set(text string) error {
	for _, part := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		switch {
		case !ok || name == "":
			return fmt.Errorf("%q does not have the form name=number", part)
		case err != nil || n < 0:
			return fmt.Errorf("the size of %q is %q: it must be a whole number of at least 0", name, value)
		}
		if old, again := s[name]; again && old != n {
			return fmt.Errorf("%q is set twice, as %d and %d", name, old, n)
		}
		s[name] = n
	}
	return nil
}
