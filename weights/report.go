package weights

import (
	"fmt"
	"strconv"
	"strings"
)

// Report says how well a file and a session's parameters match.
type Report struct {
	// Loaded are the parameters that were set, by their names in the graph.
	Loaded []string
	// Missing are parameters that are not in the file.
	Missing []string
	// Unexpected are tensors of the file that are not parameters.
	Unexpected []string
	// Wrong says for parameters why the tensor of that name does not match.
	Wrong []string

	refused bool // something is missing that may not be
	needed  bool // something is missing that the session's program uses
	hints   []string
}

// maxListed bounds the names of a kind in a text.
const maxListed = 20

// String lists everything that does not match, one per line.
func (r *Report) String() string {
	return fmt.Sprintf("%d parameters loaded", len(r.Loaded)) + r.differences()
}

// differences lists what does not fit, each below the last.
func (r *Report) differences() string {
	var text strings.Builder
	list := func(what string, items []string) {
		for i, item := range items {
			if i == maxListed {
				fmt.Fprintf(&text, "\n  and %d more", len(items)-i)
				break
			}
			fmt.Fprintf(&text, "\n  %s%s", what, item)
		}
	}
	list("", r.Wrong)
	list("missing in the file: ", r.Missing)
	list("no parameter: ", r.Unexpected)
	return text.String()
}

// nameText is the name of a tensor: quoted if it has characters that text does not show, or that a terminal obeys.
func nameText(name string) string {
	if quoted := strconv.Quote(name); quoted[1:len(quoted)-1] != name {
		return quoted
	}
	return name
}
