package pjrt

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var (
	// skipped is text whose brackets do not count: strings and comments.
	skipped = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|//[^\n]*`)
	mainOf  = regexp.MustCompile(`\bfunc(?:\.func)?\s+(?:public\s+)?@main\s*\(`)
	typeOf  = regexp.MustCompile(`^\s*%[\w$.-]+\s*:\s*tensor\s*<\s*((?:\d+\s*x\s*)*)([a-zA-Z]\w*(?:<\w+>)?)\s*[,>]`)
)

// argumentsOf reads the types of the arguments of @main, as MLIR's printer and StableHLO's specification write them:
// @main(%arg0: tensor<2x3xf32> {attributes}, ...). PJRT's interface does not tell them, and a plugin that is given
// elements of another dtype takes their bits for its own.
func argumentsOf(mlir string) (types []Type, err error) {
	text := skipped.ReplaceAllStringFunc(mlir, func(s string) string {
		if s[0] == '"' {
			return `""`
		}
		return ""
	})
	at := mainOf.FindStringIndex(text)
	if at == nil {
		return nil, errors.New(
			"the module's text has no func.func @main(...), whose arguments tell what the program takes")
	}
	list, err := parenthesised(text[at[1]:])
	if err != nil {
		return nil, err
	}
	for i, argument := range list {
		match := typeOf.FindStringSubmatch(argument)
		if match == nil {
			return nil, fmt.Errorf("argument %d of @main, %q, is no tensor of known sizes", i,
				strings.TrimSpace(argument))
		}
		t := Type{Shape: []int{}}
		for d, known := range dtypes {
			if known.mlir == match[2] {
				t.DType = d
			}
		}
		if t.DType == 0 {
			return nil, fmt.Errorf("argument %d of @main is of %s, a dtype that is not known here", i, match[2])
		}
		for _, size := range strings.FieldsFunc(match[1], func(r rune) bool { return r < '0' || r > '9' }) {
			n, err := strconv.Atoi(size)
			if err != nil {
				return nil, fmt.Errorf("argument %d of @main: %w", i, err)
			}
			t.Shape = append(t.Shape, n)
		}
		types = append(types, t)
	}
	return types, nil
}

// parenthesised splits text at the commas before the parenthesis that ends it, outside of inner brackets.
func parenthesised(text string) (parts []string, err error) {
	depth, start := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(', '[', '{', '<':
			depth++
		case '>':
			if i == 0 || text[i-1] != '-' { // not of an arrow
				depth--
			}
		case ']', '}':
			depth--
		case ',':
			if depth == 0 {
				parts, start = append(parts, text[start:i]), i+1
			}
		case ')':
			if depth--; depth < 0 {
				if last := text[start:i]; strings.TrimSpace(last) != "" {
					parts = append(parts, last)
				}
				return parts, nil
			}
		}
	}
	return nil, errors.New("the arguments of @main have no end")
}
