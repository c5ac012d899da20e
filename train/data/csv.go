package data

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Table is a file of comma-separated values (RFC 4180).
type Table struct {
	Names []string   // of the columns, as the first line has them
	Rows  [][]string // the lines after it

	path  string
	lines []int // of each row in the file
}

// CSV reads a table, compressed by gzip or not, whose first line names the columns. All lines have as many
// fields as the first one.
func CSV(path string) (*Table, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	t := &Table{path: path}
	if t.Names, err = r.Read(); err != nil {
		return nil, fmt.Errorf("data: %s: the line of names: %w", path, err)
	}
	for i, name := range t.Names {
		t.Names[i] = strings.TrimSpace(strings.TrimPrefix(name, "\ufeff"))
	}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, fmt.Errorf("data: %s: %w", path, err)
		}
		line, _ := r.FieldPos(0)
		t.Rows, t.lines = append(t.Rows, row), append(t.lines, line)
	}
}

// Float32 makes a column of numbers: [len(names)] of each example.
func (t *Table) Float32(names ...string) (Column, error) {
	return parsed(t, names, func(text string) (float32, error) {
		v, err := strconv.ParseFloat(text, 32)
		return float32(v), err
	})
}

// Float64 makes a column of numbers: [len(names)] of each example.
func (t *Table) Float64(names ...string) (Column, error) {
	return parsed(t, names, func(text string) (float64, error) { return strconv.ParseFloat(text, 64) })
}

// Int64 makes a column of integers: [len(names)] for each example.
func (t *Table) Int64(names ...string) (Column, error) {
	return parsed(t, names, func(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) })
}

// Classes makes an int64 scalar of each example: the place of its word among all words of the column, which
// are sorted and returned.
func (t *Table) Classes(name string) (Column, []string, error) {
	at, err := t.find(name)
	if err != nil {
		return nil, nil, err
	}
	var words []string
	for _, row := range t.Rows {
		words = append(words, strings.TrimSpace(row[at]))
	}
	classes := slices.Clone(words)
	slices.Sort(classes)
	classes = slices.Compact(classes)
	c, err := Converted(words, func(word string) int64 {
		place, _ := slices.BinarySearch(classes, word)
		return int64(place)
	})
	return c, classes, err
}

// find returns the place of a column.
func (t *Table) find(name string) (int, error) {
	at := slices.Index(t.Names, name)
	switch {
	case at < 0:
		return 0, fmt.Errorf("data: %s has no column %q; it has %q", t.path, name, t.Names)
	case slices.Contains(t.Names[at+1:], name):
		return 0, fmt.Errorf("data: %s has several columns %q", t.path, name)
	}
	return at, nil
}

func parsed[T Element](t *Table, names []string, parse func(string) (T, error)) (Column, error) {
	places := make([]int, len(names))
	for i, name := range names {
		var err error
		if places[i], err = t.find(name); err != nil {
			return nil, err
		}
	}
	values := make([]T, 0, len(t.Rows)*len(names))
	for i, row := range t.Rows {
		for k, at := range places {
			v, err := parse(strings.TrimSpace(row[at]))
			if err != nil {
				return nil, fmt.Errorf("data: %s:%d: column %q: %w", t.path, t.lines[i], names[k], err)
			}
			values = append(values, v)
		}
	}
	return Of(values, len(names))
}
