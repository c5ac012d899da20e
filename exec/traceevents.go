package exec

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/broadloom/broadloom/graph"
)

// traceEvent is an event in the trace event format ("Trace Event Format", the Chromium project). Times are in
// microseconds.
type traceEvent struct {
	Name     string  `json:"name"`
	Category string  `json:"cat,omitempty"`
	Phase    string  `json:"ph"` // "X" is a period of time, "M" names something
	Begin    float64 `json:"ts"`
	Duration float64 `json:"dur"`
	Process  int     `json:"pid"`
	Thread   int     `json:"tid"`
	Args     any     `json:"args,omitempty"`
}

// kernelArgs are a trace's details of a kernel.
type kernelArgs struct {
	Kernel     string   `json:"kernel"` // "3.1" is kernel 1 of the body of loop 3
	Operations []string `json:"operations"`
	Lines      []string `json:"lines"` // of the user's program
	Reads      []string `json:"reads"`
	Writes     []string `json:"writes"`
	Bytes      int      `json:"bytes"`
	Flops      int      `json:"flops"`
}

// partArgs are a trace's details of a thread's part of a kernel.
type partArgs struct {
	Kernel string `json:"kernel"`
	Tiles  int    `json:"tiles"`
}

// WriteTrace writes when kernels ran, and on which threads, in the trace event format, as JSON: Perfetto
// (ui.perfetto.dev) and Chrome (chrome://tracing) open it. The thread "run" shows the runs with their kernels,
// including those of loops' bodies, with the user's lines, their operands' sizes, bytes and operations, and its own
// part of kernels that several threads share; each worker is a thread with its parts. For a profile with very many
// kernels, the last runs and the last steps of loops are omitted. It returns the writer's errors, and an error for a
// profile that was not made by a session.
func (p *Profile) WriteTrace(w io.Writer) error {
	if p.recorder == nil {
		return errNoProfile
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(
		out,
		"{\"displayTimeUnit\": \"ns\", \"otherData\": {\"runs\": %d, \"runs in the trace\": %d}, \"traceEvents\": [",
		p.Runs, len(p.recorder.runs))
	for i, e := range p.traceEvents() {
		text, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
		out.Write(text)
	}
	out.WriteString("\n]}\n")
	return out.Flush()
}

// traceEvents lists the events: first names, then those of each thread by start time, longer ones before those within
// them.
func (p *Profile) traceEvents() []traceEvent {
	r := p.recorder
	list := []traceEvent{called("process_name", 0, fmt.Sprintf("graph %s%s", p.prog.source.Name(), p.sizes())),
		called("thread_name", 0, "run")}
	var spans []traceEvent
	for _, s := range r.runs {
		spans = append(spans, s.event(fmt.Sprint("run ", s.kernel), "run", 0, nil))
	}
	names, args := p.kernelsTold()
	for _, s := range r.kernels {
		spans = append(spans, s.event(names[s.kernel], "kernel", 0, args[s.kernel]))
	}
	for thread, parts := range r.parts {
		if thread > 0 {
			list = append(list, called("thread_name", thread, fmt.Sprint("worker ", thread)))
		}
		for _, s := range parts {
			spans = append(spans,
				s.event(names[s.kernel], "part", thread, partArgs{r.measured[s.kernel].number, s.tiles}))
		}
	}
	slices.SortStableFunc(spans, func(a, b traceEvent) int {
		return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Begin, b.Begin),
			cmp.Compare(b.Duration, a.Duration))
	})
	return append(list, spans...)
}

// called returns the event that names a process or a thread.
func called(what string, thread int, name string) traceEvent {
	return traceEvent{Name: what, Phase: "M", Thread: thread, Args: map[string]string{"name": name}}
}

func (s span) event(name, category string, thread int, args any) traceEvent {
	return traceEvent{Name: name, Category: category, Phase: "X", Begin: micros(s.began),
		Duration: micros(s.ended - s.began), Thread: thread, Args: args}
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// kernelsTold returns the kernels' names in a trace, and their details.
func (p *Profile) kernelsTold() (names []string, args []json.RawMessage) {
	for _, k := range p.recorder.measured {
		a := kernelArgs{Kernel: k.number}
		for _, n := range k.kernel.Computes().Members() {
			a.Operations = append(a.Operations, n.Op().Name)
		}
		for _, l := range placesOf(k.kernel.Computes()) {
			a.Lines = append(a.Lines, l.String())
		}
		a.Reads, a.Writes = k.exchanged()
		a.Bytes, _ = k.in.b.Traffic(k.kernel)
		a.Flops, _ = k.in.b.Flops(k.kernel)
		text, _ := json.Marshal(a) // text and numbers can always be encoded
		names, args = append(names, operations(k.kernel.Computes())), append(args, text)
	}
	return names, args
}

// exchanged describes the values that a kernel reads and writes, with their sizes.
func (k *measured) exchanged() (reads, writes []string) {
	told := func(list []*graph.Node) (texts []string) {
		for _, n := range list {
			texts = append(texts, fmt.Sprintf("%s %s%v", graph.Describe(n), n.DType(), k.in.b.Shape(n.Shape())))
		}
		return texts
	}
	read, written := exchanged(k.kernel)
	return told(read), told(written)
}
