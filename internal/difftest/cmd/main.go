// Command cmd compares Broadloom with an evaluator of its own on random programs:
//
//	go run ./internal/difftest/cmd -n 100000
//
// runs as many programs on every instruction set and without machine code, each in a process
// of its own, on 1, 2 and 8 threads, and compares the bits between them too.
//
//	go run ./internal/difftest/cmd -soak -n 10000 -runs 1000000
//
// compiles programs and runs them at changing sizes, and fails if memory grows.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"github.com/broadloom/broadloom/internal/difftest"
)

type settings struct {
	first, count uint64
	configs      string
	worker       bool
	show         bool
	out          string
	soak         bool
	runs         int
}

func main() {
	var s settings
	flag.Uint64Var(&s.first, "seed", 0, "the number of the first program")
	flag.Uint64Var(&s.count, "n", 1000, "how many programs to run")
	flag.StringVar(&s.configs, "configs", "avx512,avx2,portable,nojit", "the settings to run them with")
	flag.BoolVar(&s.show, "show", false, "print the programs as Go instead of running them")
	flag.StringVar(&s.out, "out", "", "a folder for the failing programs, made small, as Go programs")
	flag.BoolVar(&s.worker, "worker", false, "run programs with the settings of this process (used by the command itself)")
	flag.BoolVar(&s.soak, "soak", false, "compile -n programs, run them -runs times in all, and watch memory")
	flag.IntVar(&s.runs, "runs", 1000000, "how many runs a soak has")
	flag.Parse()
	if err := s.run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (s *settings) run() error {
	switch {
	case s.show:
		for seed := s.first; seed < s.first+s.count; seed++ {
			fmt.Println(difftest.Source(difftest.Generate(seed), 0))
		}
		return nil
	case s.soak:
		return difftest.Soak(int(s.count), s.runs, func(line string) { fmt.Println(line) })
	case s.worker:
		return s.work()
	}
	return s.everywhere()
}

// work runs programs in this process and writes a verdict for each.
func (s *settings) work() error {
	w := bufio.NewWriter(os.Stdout)
	enc := json.NewEncoder(w)
	for seed := s.first; seed < s.first+s.count; seed++ {
		v := difftest.Check(difftest.Generate(seed))
		if err := enc.Encode(v); err != nil {
			return err
		}
		if v.Fault != "" || seed%256 == 0 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}
