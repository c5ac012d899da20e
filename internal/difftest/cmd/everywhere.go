package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/internal/difftest"
	"github.com/broadloom/broadloom/kernels/cpu"
)

// environments are the environment variables of a process for each setting.
var environments = map[string][]string{
	"avx512": {"BROADLOOM_ISA=avx512"}, "avx2": {"BROADLOOM_ISA=avx2"}, "neon": {"BROADLOOM_ISA=neon"},
	"portable": {"BROADLOOM_ISA=portable"},
	"nojit":    {"BROADLOOM_JIT=0"}, "avx2nojit": {"BROADLOOM_ISA=avx2", "BROADLOOM_JIT=0"},
}

// died is the fault of a program that kills its process.
const died = "the process died"

// tally counts the verdicts of the programs of one setting.
type tally struct {
	programs, runs, rounds, rough, failed int
	refused, faults                       map[string]int
}

// everywhere runs the programs with each setting.
func (s *settings) everywhere() error {
	hashes := map[uint64]uint64{}
	bad := 0
	for _, config := range strings.Split(s.configs, ",") {
		env, known := environments[config]
		if !known {
			return fmt.Errorf("no settings %q", config)
		}
		if lacks(env) {
			fmt.Printf("%s: left out, since this machine has %s\n", config, cpu.Machine())
			continue
		}
		t := &tally{refused: map[string]int{}, faults: map[string]int{}}
		err := s.each(env, func(v difftest.Verdict) {
			t.add(v)
			if hash, seen := hashes[v.Seed]; seen && hash != v.Hash && v.Hash != 0 && v.Fault == "" {
				v.Fault = "other bits than with other settings"
				t.faults[v.Fault]++
			} else if v.Hash != 0 && !seen {
				hashes[v.Seed] = v.Hash
			}
			if v.Fault != "" {
				bad++
				fmt.Printf("%s seed %d: %s: %.300s\n", config, v.Seed, v.Fault, v.Detail)
				s.keep(config, v)
			}
		})
		if err != nil {
			return err
		}
		fmt.Println(config+":", t)
	}
	if bad > 0 {
		return fmt.Errorf("%d programs disagree", bad)
	}
	return nil
}

// lacks reports whether an environment asks for instructions that the machine does not have. It would run others.
func lacks(env []string) bool {
	for isa := cpu.Portable; isa <= cpu.NEON; isa++ {
		if slices.Contains(env, "BROADLOOM_ISA="+isa.String()) {
			return !slices.Contains(cpu.Available(), isa)
		}
	}
	return false
}

// each runs workers until all programs are done. After a worker dies, each program gets its own worker until the one
// that kills it is found.
func (s *settings) each(env []string, take func(difftest.Verdict)) error {
	careful := uint64(0) // the first program that is not suspected
	for next, end := s.first, s.first+s.count; next < end; {
		stop := min(end, next+2000)
		if next < careful {
			stop = next + 1
		}
		cmd := exec.Command(os.Args[0], "-worker", "-seed", strconv.FormatUint(next, 10), "-n",
			strconv.FormatUint(stop-next, 10), "-language="+strconv.FormatBool(s.language))
		// programs are small: most of what a worker holds is garbage
		cmd.Env = append(append(os.Environ(), "GOGC=800"), env...)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			var v difftest.Verdict
			if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
				break
			}
			take(v)
			next = v.Seed + 1
		}
		switch err := errors.Join(lines.Err(), cmd.Wait()); {
		case err == nil || next == stop:
		case stop-next == 1:
			take(difftest.Verdict{Seed: next, Fault: died, Detail: stderr.String()})
			next, careful = stop, 0
		default:
			careful = stop
		}
		if next == careful {
			take(difftest.Verdict{Seed: next - 1, Fault: died,
				Detail: "none of the programs before it ends a process of its own"})
			careful = 0
		}
	}
	return nil
}

func (t *tally) add(v difftest.Verdict) {
	t.programs++
	t.runs += v.Runs
	t.rounds += v.Rounds
	t.rough += v.Rough
	t.failed += v.Failed
	if v.Refused != "" {
		t.refused[v.Refused]++
	}
	if v.Fault != "" {
		t.faults[v.Fault]++
	}
}

func (t *tally) String() string {
	text := fmt.Sprintf("%d programs, %d runs, %d numbers off by rounding, %d gradients that are not finite",
		t.programs, t.runs, t.rounds, t.rough)
	if t.failed > 0 {
		text += fmt.Sprintf(", %d sizes and elements refused", t.failed)
	}
	for name, list := range map[string]map[string]int{"refused": t.refused, "FAULT": t.faults} {
		var keys []string
		for k := range list {
			keys = append(keys, k)
		}
		sort.Slice(keys, func(i, j int) bool { return list[keys[i]] > list[keys[j]] })
		for _, k := range keys {
			text += fmt.Sprintf("\n\t%s %d × %s", name, list[k], k)
		}
	}
	return text
}

// keep writes a failing program, reduced, as Go.
func (s *settings) keep(config string, v difftest.Verdict) {
	if s.out == "" || s.language {
		return
	}
	p := difftest.Generate(v.Seed)
	if v.Fault == died { // it would end this process too
		s.write(config, v, difftest.Source(p, 0))
		return
	}
	smaller := difftest.Shrink(p, func(q *difftest.Program) bool { return difftest.Check(q).Alike(v) })
	now := difftest.Check(smaller)
	now.Seed = v.Seed
	s.write(config, now, difftest.Source(smaller, now.Binding))
}

// write writes a failing program with its fault.
func (s *settings) write(config string, v difftest.Verdict, source string) {
	text := fmt.Sprintf("// %s, program %d: %s\n// %s\n\n%s", config, v.Seed, v.Fault,
		strings.ReplaceAll(v.Detail, "\n", "\n// "), source)
	if err := os.MkdirAll(s.out, 0o755); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err := os.WriteFile(filepath.Join(s.out, fmt.Sprintf("%s-%d.go.txt", config, v.Seed)), []byte(text),
		0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
