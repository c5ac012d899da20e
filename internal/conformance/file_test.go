package conformance

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
)

// Folder returns the folder of the files: that of BROADLOOM_VECTORS, or ../shared/vectors
// beside the repository.
func Folder() string {
	if dir := os.Getenv("BROADLOOM_VECTORS"); dir != "" {
		return dir
	}
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..", "shared", "vectors")
}

// maxLine bounds one case, in bytes.
const maxLine = 64 << 20

// readRows reads a file of one JSON object a line.
func readRows[T any](path string) ([]T, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var rows []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var row T
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", filepath.Base(path), len(rows)+1, err)
		}
		rows = append(rows, row)
	}
	return rows, lines.Err()
}

// numbers are elements in row-major order. JSON has no words for what is not finite: they
// are the strings "NaN", "Inf" and "-Inf". Truth values are 0 and 1.
type numbers []float64

// UnmarshalJSON reads a list of numbers, truth values and the three strings.
func (n *numbers) UnmarshalJSON(text []byte) error {
	var list []any
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*n = make(numbers, len(list))
	for i, v := range list {
		var err error
		if (*n)[i], err = number(v); err != nil {
			return err
		}
	}
	return nil
}

func number(v any) (float64, error) {
	switch v := v.(type) {
	case float64:
		return v, nil
	case bool:
		if v {
			return 1, nil
		}
		return 0, nil
	case string:
		switch v {
		case "NaN":
			return math.NaN(), nil
		case "Inf":
			return math.Inf(1), nil
		case "-Inf":
			return math.Inf(-1), nil
		}
	}
	return 0, fmt.Errorf("%v is no number", v)
}

// array is a tensor as the files hold it.
type array struct {
	Shape []int   `json:"shape"`
	DType string  `json:"dtype"`
	Data  numbers `json:"data"`
}

// unsupported says what of a case the library has not.
type unsupported struct{ what string }

// Error says what is missing.
func (u unsupported) Error() string { return u.what }

// isUnsupported reports whether a case failed only because of what the library has not.
func isUnsupported(err error) bool {
	var u unsupported
	return errors.As(err, &u)
}

// dtypeOf reads PyTorch's name of a dtype.
func dtypeOf(name string) (graph.DType, error) {
	t, err := graph.ParseDType(name)
	if err != nil {
		return t, unsupported{"dtype " + name}
	}
	return t, nil
}

// value returns the array as the evaluators take it.
func (a array) value() (reference.Value, error) {
	t, err := dtypeOf(a.DType)
	if err != nil {
		return reference.Value{}, err
	}
	return reference.FromFloats(t, a.Data, a.Shape...), nil
}
