// Package atomicfile writes files that are either complete or missing, whatever happens to the process. file.go is all
// of it.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"unicode/utf8"
)

// TempMark is part of the names of files that are being written.
const TempMark = ".tmp-"

// Write writes a file so that its path always names either the complete new content or the old one. The content is
// written to another file of the same folder, synced to disk, and then renamed to the path.
func Write(path string, write func(io.Writer) error) (err error) {
	switch info, err := os.Stat(path); {
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fmt.Errorf("the file's name has %d bytes: %w", len(filepath.Base(path)), syscall.ENAMETOOLONG)
	case err == nil && info.IsDir():
		return fmt.Errorf("it is a folder: %w", syscall.EISDIR)
	}
	temp, err := createTemp(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			temp.Close()
			err = errors.Join(err, os.Remove(temp.Name()))
		}
	}()
	w := bufio.NewWriterSize(temp, 1<<18)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := temp.Sync(); err != nil {
		return err
	}
	if err := temp.Close(); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}
	syncFolder(filepath.Dir(path))
	return nil
}

// maxName is how many bytes most file systems allow in the name of a file.
const maxName = 255

// createTemp creates a file next to another one, with the permissions of new files.
func createTemp(path string) (*os.File, error) {
	folder, base := filepath.Split(path)
	base = base[:min(len(base), maxName-len(TempMark)-8)]
	for !utf8.ValidString(base) && utf8.ValidString(path) { // cut within a character
		base = base[:len(base)-1]
	}
	for {
		name := fmt.Sprintf("%s%s%s%08x", folder, base, TempMark, rand.Uint32())
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		var wrong *os.PathError // the name of the other file says nothing to the user
		switch {
		case errors.Is(err, os.ErrNotExist):
			return nil, fmt.Errorf("there is no folder %s: %w", filepath.Dir(path), syscall.ENOENT)
		case errors.Is(err, os.ErrExist):
		case errors.As(err, &wrong):
			return nil, fmt.Errorf("no file can be created in %s: %w", filepath.Dir(path), wrong.Err)
		default:
			return f, err
		}
	}
}

// syncFolder syncs the names of a folder to disk, if the system can.
func syncFolder(path string) {
	if dir, err := os.Open(path); err == nil {
		dir.Sync()
		dir.Close()
	}
}
