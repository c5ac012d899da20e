// Package record is the line that a measurement leaves behind: one JSON object
// with the fields that every implementation of the table of workloads writes.
package record

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// Record is one measurement, or the reason why there is none.
type Record struct {
	Peer    string `json:"peer"`
	Mode    string `json:"mode"`
	Threads int    `json:"threads"`
	Name    string `json:"name"`

	// Ms and MinMs are the median and the least time of a call, FirstS the
	// seconds from nothing to the first result.
	Ms     float64 `json:"ms,omitempty"`
	MinMs  float64 `json:"min_ms,omitempty"`
	FirstS float64 `json:"first_s,omitempty"`

	// Heap allocations of a call. Peers outside Go do not report them.
	Allocs *uint64 `json:"allocs,omitempty"`
	Bytes  *uint64 `json:"bytes,omitempty"`

	// Loss is that of the fourth call, if there is one; Check is the mean magnitude of all the results of that call.
	// Peers that start from the same data agree on them.
	Loss  *float64 `json:"loss,omitempty"`
	Check *float64 `json:"check,omitempty"`

	Error string `json:"error,omitempty"`
}

// Write adds the record to a file of JSON lines.
func (r Record) Write(w io.Writer) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// Read takes the records from a file of JSON lines. Lines that do not begin
// like an object, as other programs print them, are passed over.
func Read(r io.Reader) ([]Record, error) {
	var records []Record
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := lines.Bytes()
		if len(line) == 0 || line[0] != '{' {
			continue
		}
		var rec Record
		if err := json.Unmarshal(line, &rec); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		records = append(records, rec)
	}
	return records, lines.Err()
}
