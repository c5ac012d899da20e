package viz

import (
	"errors"
	"io"
)

// checkPicture refuses a picture of nothing, and one that is written nowhere.
func checkPicture(w io.Writer, s Source) error {
	if w == nil {
		return errors.New("viz: the writer is nil: pass a file, os.Stdout or a *bytes.Buffer")
	}
	return checkSource(s)
}

func checkSource(s Source) error {
	isNil := s == nil
	switch s := s.(type) {
	case graphSource:
		isNil = s.g == nil
	case programSource:
		isNil = s.p == nil
	}
	if isNil {
		return errors.New(
			"viz: there is nothing to draw: pass a graph to viz.Graph, or the result of exec.Compile, if it has no error, to viz.Program")
	}
	return nil
}
