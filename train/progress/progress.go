// Package progress reports a training as it runs: with a bar on a terminal, with lines of text elsewhere.
package progress

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/broadloom/broadloom/train"
)

// pause is the least time between two lines about steps.
const pause = 10 * time.Second

// Progress is an observer of a training. It serves one training at a time.
type Progress struct {
	w      io.Writer
	bar    *progressbar.ProgressBar // nil where there is no terminal
	steps  int
	first  int       // the steps that were taken before the first one told of
	began  time.Time // when the first one told of began
	last   time.Time // when a line was written
	timeOf func() time.Time
}

// New reports a training of a number of steps in all, 0 if that is unknown, with a line for each epoch: its number,
// steps, loss, measures and steps per second. Within an epoch a terminal shows a bar; elsewhere a line is written at
// most every ten seconds. If the writer is nil, nothing is reported.
func New(w io.Writer, steps int) *Progress {
	if w == nil {
		w = io.Discard
	}
	p := &Progress{w: w, steps: max(steps, 0), timeOf: time.Now}
	if f, is := w.(*os.File); is && term.IsTerminal(int(f.Fd())) {
		p.bar = newBar(w, p.steps)
	}
	return p
}

// newBar makes the bar of a terminal. Only steps draw it: a spinner with its own goroutine would write between our
// lines.
func newBar(w io.Writer, steps int) *progressbar.ProgressBar {
	if steps == 0 {
		steps = -1 // a spinner
	}
	return progressbar.NewOptions(steps, progressbar.OptionSetWriter(w), progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("steps"), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetSpinnerChangeInterval(0))
}

// Step implements [train.Observer].
func (p *Progress) Step(s train.Step) error {
	now := p.timeOf()
	if p.began.IsZero() {
		p.began, p.first, p.last = now.Add(-s.Took), s.Total-1, now
	}
	if p.bar != nil {
		p.bar.Describe(fmt.Sprintf("epoch %d, loss %.4g", s.Epoch+1, s.Loss))
		return p.bar.Set(s.Total)
	}
	if now.Sub(p.last) < pause {
		return nil
	}
	p.last = now
	return p.line("step "+p.count(s.Total), s.Loss, s.Measures, s.Total)
}

// Epoch implements [train.Observer].
func (p *Progress) Epoch(e train.Epoch) error {
	p.last = p.timeOf()
	if p.bar != nil {
		if err := p.bar.Clear(); err != nil {
			return err
		}
	}
	return p.line(fmt.Sprintf("epoch %d, step %s", e.Number+1, p.count(e.Total)), e.Loss, e.Measures, e.Total)
}

// count writes the number of a step, with that of all.
func (p *Progress) count(total int) string {
	if p.steps == 0 {
		return fmt.Sprint(total)
	}
	return fmt.Sprintf("%d of %d", total, p.steps)
}

func (p *Progress) line(where string, loss float64, measures map[string]float64, total int) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: loss %.4g", where, loss)
	for _, name := range slices.Sorted(maps.Keys(measures)) {
		fmt.Fprintf(&text, ", %s %.4g", name, measures[name])
	}
	if took := p.timeOf().Sub(p.began).Seconds(); !p.began.IsZero() && took > 0 {
		fmt.Fprintf(&text, ", %.4g steps/s", float64(total-p.first)/took)
	}
	_, err := fmt.Fprintln(p.w, text.String())
	return err
}
