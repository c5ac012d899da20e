package findings

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/cmd/broadloom/internal/models"
)

var frame = regexp.MustCompile(`(?m)^ +at (.+\.go):(\d+)\s`)

// OfFailure returns why a model could not be checked. Its place is the innermost line of its package in the stack of a
// panic or of a function that does not return, or else the model.
func OfFailure(o models.Outcome) Finding {
	first, rest, _ := strings.Cut(o.Failure, "\n")
	f := Finding{Code: NotChecked, At: Place{File: o.Model.File, Line: o.Model.Line}, Detail: rest,
		Message: o.Model.Name + " could not be checked: " + first}
	for _, m := range frame.FindAllStringSubmatch(o.Failure, -1) {
		if filepath.Dir(m[1]) == o.Package.Dir {
			f.At.File = m[1]
			f.At.Line, _ = strconv.Atoi(m[2])
			break
		}
	}
	return f
}
