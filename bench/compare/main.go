// The compare command joins files of measurements by the workload's name and
// prints Markdown tables, one for every number of threads.
//
//	go run -C bench ./compare torch.jsonl go.jsonl
//
// A cell is the time of a call in milliseconds: the median over the records of one library, mode and workload, if there
// are several. A ratio divides the best mode of another library by one of the base's modes, so that more than one means
// that the base is faster.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/broadloom/broadloom/bench/record"
)

func main() {
	base := flag.String("base", "broadloom", "the library that others are divided by")
	least := flag.Bool("min", false, "compare least times instead of medians; steadier on a busy machine")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: compare [-base name] [-min] FILE.jsonl ...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(os.Stdout, flag.Args(), *base, *least); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// run reads the files and writes the tables.
func run(out io.Writer, files []string, base string, least bool) error {
	if len(files) == 0 {
		return fmt.Errorf("no files given")
	}
	var records []record.Record
	for _, name := range files {
		more, err := read(name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		records = append(records, more...)
	}
	for _, t := range join(records, base, least) {
		if _, err := io.WriteString(out, t.markdown()); err != nil {
			return err
		}
	}
	return nil
}

// read takes the records from a file.
func read(name string) ([]record.Record, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return record.Read(f)
}
