// Command cmd compares Broadloom with an independent evaluator on random programs:
//
//	go run ./internal/difftest/cmd -n 100000
//
// runs this many programs on every instruction set and without machine code, each in a separate process, on 1, 2 and 8
// threads, and compares the bits between them too.
//
//	go run ./internal/difftest/cmd -language -n 10000
//
// runs programs over all functions of package ops, in all dtypes. It compares their results across instruction sets and
// threads, and with every value stored.
//
//	go run ./internal/difftest/cmd -soak -n 10000 -runs 1000000
//
// compiles programs and runs them at changing sizes, and fails if memory grows.
//
//	go run ./internal/difftest/cmd -torch python3 -n 1000
//
// compares values and gradients with PyTorch's, with this process's settings.
//
// main.go has the flags and checks programs in this process; everywhere.go starts a process for each instruction set.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"github.com/broadloom/broadloom/internal/difftest"
	"github.com/broadloom/broadloom/internal/difftest/language"
)

type settings struct {
	first, count uint64
	configs      string
	worker       bool
	show         bool
	out          string
	soak         bool
	runs         int
	torch        string
	language     bool
}

func main() {
	var s settings
	flag.Uint64Var(&s.first, "seed", 0, "the number of the first program")
	flag.Uint64Var(&s.count, "n", 1000, "how many programs to run; with -language, 0 is as many as there are functions")
	flag.StringVar(&s.configs, "configs", "avx512,avx2,portable,nojit", "the settings to run them with")
	flag.BoolVar(&s.show, "show", false, "print the programs as Go instead of running them")
	flag.StringVar(&s.out, "out", "", "a folder for the failing programs, made small, as Go programs")
	flag.BoolVar(&s.worker, "worker", false,
		"run programs with the settings of this process (used by the command itself)")
	flag.BoolVar(&s.soak, "soak", false, "compile -n programs, run them -runs times in all, and watch memory")
	flag.IntVar(&s.runs, "runs", 1000000, "how many runs a soak has")
	flag.StringVar(&s.torch, "torch", "", "a command that runs a Python file with PyTorch: compare with it instead")
	flag.BoolVar(&s.language, "language", false, "run programs over all functions, compared with themselves only")
	flag.Parse()
	if s.language && s.count == 0 {
		s.count = uint64(language.Functions())
	}
	if err := s.run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (s *settings) run() error {
	switch {
	case s.show:
		for seed := s.first; seed < s.first+s.count; seed++ {
			if s.language {
				fmt.Println(language.Text(seed))
				continue
			}
			fmt.Println(difftest.Source(difftest.Generate(seed), 0))
		}
		return nil
	case s.soak:
		return difftest.Soak(int(s.count), s.runs, func(line string) { fmt.Println(line) })
	case s.torch != "":
		return s.besideTorch()
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
		v := s.check(seed)
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

// check runs one program.
func (s *settings) check(seed uint64) difftest.Verdict {
	if s.language {
		return language.Check(seed)
	}
	return difftest.Check(difftest.Generate(seed))
}

// besideTorch compares programs with PyTorch, some hundred per PyTorch process.
func (s *settings) besideTorch() error {
	t := &tally{refused: map[string]int{}, faults: map[string]int{}}
	for first := s.first; first < s.first+s.count; first += 250 {
		var seeds []uint64
		for seed := first; seed < min(first+250, s.first+s.count); seed++ {
			seeds = append(seeds, seed)
		}
		err := difftest.Torch(s.torch, seeds, func(v difftest.Verdict) {
			t.add(v)
			if v.Fault != "" {
				fmt.Printf("seed %d, run %d: %s\n", v.Seed, v.Binding, v.Detail)
			}
		})
		if err != nil {
			return err
		}
	}
	fmt.Println(t)
	if len(t.faults) > 0 {
		return fmt.Errorf("some programs disagree")
	}
	return nil
}
