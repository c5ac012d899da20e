package findings

import (
	"fmt"
	"io"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// commands are GitHub's names of the severities.
var commands = map[graph.Severity]string{graph.Error: "error", graph.Warning: "warning", graph.Note: "notice"}

// WriteGitHub writes findings as commands that make GitHub Actions show them at their lines.
// Files are named relative to root, the directory of the repository.
func WriteGitHub(w io.Writer, root string, list []Finding) error {
	for _, f := range list {
		var properties []string
		add := func(name, value string) { properties = append(properties, name+"="+escapeProperty.Replace(value)) }
		if f.At.File != "" {
			file, _ := below(root, f.At.File)
			add("file", file)
		}
		if f.At.Line > 0 {
			add("line", fmt.Sprint(f.At.Line))
		}
		if f.At.Column > 0 {
			add("col", fmt.Sprint(f.At.Column))
		}
		add("title", f.Code)
		_, err := fmt.Fprintf(w, "::%s %s::%s\n", commands[f.Severity], strings.Join(properties, ","),
			escapeData.Replace(f.Text()))
		if err != nil {
			return err
		}
	}
	return nil
}

// Characters that a command may not contain are escaped as in URLs.
var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
