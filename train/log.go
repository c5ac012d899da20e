package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// Log is an observer that writes a line of JSON for each step and each epoch:
//
//	{"kind":"step","epoch":0,"step":12,"values":{"loss":0.693,"rate":0.001}}
//
// Steps count from 1 over all epochs. A value that is not finite is null.
type Log struct{ w io.Writer }

// NewLog writes to w. With a file opened for appending, resumed training continues its log.
func NewLog(w io.Writer) *Log { return &Log{w} }

const (
	stepKind  = "step"
	epochKind = "epoch"
)

// logLine is one line.
type logLine struct {
	Kind   string              `json:"kind"`
	Epoch  int                 `json:"epoch"`
	Step   int                 `json:"step"`
	Values map[string]*float64 `json:"values"`
}

// Step implements [Observer].
func (l *Log) Step(s Step) error { return l.write(stepKind, s.Epoch, s.Total, s.Loss, s.Measures) }

// Epoch implements [Observer].
func (l *Log) Epoch(e Epoch) error { return l.write(epochKind, e.Number, e.Total, e.Loss, e.Measures) }

func (l *Log) write(kind string, epoch, step int, loss float64, measures map[string]float64) error {
	line := logLine{kind, epoch, step, map[string]*float64{lossName: finite(loss)}}
	for name, v := range measures {
		line.Values[name] = finite(v)
	}
	if l.w == nil {
		return errors.New("train: the log has no writer")
	}
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	_, err = l.w.Write(append(text, '\n'))
	return err
}

// finite returns a pointer to a number, nil for one that JSON does not have.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// ReadLog reads what a [Log] wrote. Null becomes NaN. A truncated last line, as from a process that was killed, is
// ignored.
func ReadLog(r io.Reader) (*History, error) {
	h := &History{}
	if r == nil {
		return nil, errors.New("train: there is no log to read: the reader is nil")
	}
	d := json.NewDecoder(r)
	for number := 1; ; number++ {
		var line logLine
		err := d.Decode(&line)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return h, nil
		}
		if err == nil && line.Kind != stepKind && line.Kind != epochKind {
			err = fmt.Errorf("kind %q is neither %s nor %s", line.Kind, stepKind, epochKind)
		}
		if err != nil {
			return nil, fmt.Errorf("train: value %d of the log: %w", number, err)
		}
		loss, measures := math.NaN(), map[string]float64{}
		for name, v := range line.Values {
			value := math.NaN()
			if v != nil {
				value = *v
			}
			if measures[name] = value; name == lossName {
				loss = value
				delete(measures, name)
			}
		}
		h.add(line.Kind == epochKind, line.Step, loss, measures)
	}
}
