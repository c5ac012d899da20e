package models

import (
	"errors"
	"fmt"
	"go/scanner"
	"os"
	"strings"
)

// Overlay holds the text of files, by full path, that differs from what is on disk: an editor's
// buffers that are not saved.
type Overlay map[string]string

// read returns the text of a file.
func (o Overlay) read(file string) ([]byte, error) {
	if text, ok := o[file]; ok {
		return []byte(text), nil
	}
	return os.ReadFile(file)
}

// BuildError says that a package does not compile.
type BuildError struct {
	ImportPath string
	Output     string // what the compiler says, with files, lines and columns
}

// Error returns the compiler's output below a sentence.
func (e *BuildError) Error() string {
	return fmt.Sprintf("%s does not compile:\n%s", e.ImportPath, strings.TrimSpace(e.Output))
}

// syntaxErrors returns the errors of a parser, one a line.
func syntaxErrors(err error) string {
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return err.Error()
	}
	var b strings.Builder
	for _, e := range list {
		fmt.Fprintln(&b, e)
	}
	return b.String()
}
