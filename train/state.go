package train

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// stateKey is the place of the loop's state among a checkpoint's strings.
const stateKey = "train"

// state is what resumed training needs besides the parameters.
type state struct {
	Epoch    int                   `json:"epoch"`
	Number   int                   `json:"number"` // the epoch's next step
	Total    int                   `json:"total"`
	Sum      exactFloat            `json:"sum"`  // of the losses of the epoch's steps
	Sums     map[string]exactFloat `json:"sums"` // of its measures
	Judged   judged                `json:"judged"`
	Finished bool                  `json:"finished"` // no epoch is left, or Stop has ended the training
}

// exactFloat is a number that JSON keeps to the last bit, NaN and infinities too.
type exactFloat float64

// MarshalJSON implements json.Marshaler.
func (f exactFloat) MarshalJSON() ([]byte, error) {
	return strconv.AppendQuote(nil, strconv.FormatFloat(float64(f), 'x', -1, 64)), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *exactFloat) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	v, err := strconv.ParseFloat(s, 64)
	*f = exactFloat(v)
	return err
}

// metadata returns the state as a checkpoint's strings.
func (s *state) metadata() (map[string]string, error) {
	text, err := json.Marshal(s)
	return map[string]string{stateKey: string(text)}, err
}

// readState reads the output of metadata.
func readState(pairs map[string]string) (*state, error) {
	s := &state{}
	text, has := pairs[stateKey]
	if !has {
		return nil, fmt.Errorf("train: the checkpoint has no training progress: it lacks the string %q", stateKey)
	}
	if err := json.Unmarshal([]byte(text), s); err != nil {
		return nil, fmt.Errorf("train: the checkpoint's string %q: %w", stateKey, err)
	}
	if s.Epoch < 0 || s.Number < 0 || s.Total < s.Number {
		return nil, fmt.Errorf("train: the checkpoint says step %d of epoch %d, but %d steps in all", s.Number, s.Epoch,
			s.Total)
	}
	return s, nil
}
