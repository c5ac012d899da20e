package launch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"sync"
)

// Step is the launcher's report of progress.
type Step struct {
	Step    int                // steps that are done
	Of      int                // all steps
	Millis  float64            `json:"ms"` // of a step, on the average since the last time
	Outputs map[string]float64 // the outputs that are scalars
}

// readProgress calls tell for each line of JSON. XLA writes other lines among them.
func readProgress(r io.Reader, tell func(Step)) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		var s Step
		if json.Unmarshal(lines.Bytes(), &s) == nil && s.Step > 0 && tell != nil {
			tell(s)
		}
	}
	_, _ = io.Copy(io.Discard, r) // a line that is too long must not hold the process up
}

// maxTail is the most bytes that are kept of a process's messages.
const maxTail = 1 << 16

// tail keeps the end of a process's output.
type tail struct {
	sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.Lock()
	defer t.Unlock()
	if t.text = append(t.text, p...); len(t.text) > maxTail {
		t.text = bytes.Clone(t.text[len(t.text)-maxTail/2:])
	}
	return len(p), nil
}

// message returns the launcher's message, or else the last lines of the output.
func (t *tail) message() string {
	t.Lock()
	defer t.Unlock()
	const marker = "launch.py: "
	if at := bytes.LastIndex(t.text, []byte(marker)); at >= 0 {
		return strings.TrimSpace(string(t.text[at+len(marker):]))
	}
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}
