package contract

import (
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// meeting is an axis of a value with what is promised of it.
type meeting struct {
	axis      int // of the value
	want      *expr
	dim       graph.Dim // in the place of want where that is nil
	broadcast bool
}

// match lines up the axes of a statement with those of its value; ok is false where there are
// more or fewer.
func (st *statement) match() (list []meeting, ok bool) {
	shape := st.Node.Shape()
	words := st.count()
	several := len(shape) - words + 1 // the axes that one word stands for
	if st.many < 0 && words != len(shape) || several < 0 {
		return nil, false
	}
	for i := range words {
		switch {
		case i == st.many:
			list = append(list, st.severalAxes(i, several)...)
		case st.many >= 0 && i > st.many:
			list = append(list, st.oneAxis(i, i+several-1)...)
		default:
			list = append(list, st.oneAxis(i, i)...)
		}
	}
	return list, true
}

// count returns the number of words.
func (st *statement) count() int {
	if st.sizes != nil {
		return len(st.sizes)
	}
	return len(st.axes)
}

// oneAxis returns what word i promises of an axis.
func (st *statement) oneAxis(i, at int) (list []meeting) {
	if st.sizes != nil {
		if d := st.sizes[i]; d != AnySize && !d.IsUnknown() {
			list = append(list, meeting{axis: at, dim: d})
		}
		return list
	}
	a := st.axes[i]
	if a.named != "" {
		list = append(list, meeting{axis: at, want: &expr{op: name, name: a.named}, broadcast: a.broadcast})
	}
	if a.size != nil {
		list = append(list, meeting{axis: at, want: a.size, broadcast: a.broadcast})
	}
	return list
}

// severalAxes returns what the word for several axes promises of them. Each has a name of its
// own, counted from the last.
func (st *statement) severalAxes(i, several int) (list []meeting) {
	if st.sizes != nil || st.axes[i].many == anonymous {
		return nil
	}
	for k := range several {
		word := st.axes[i].many + manyMark + strconv.Itoa(several-k)
		list = append(list, meeting{axis: i + k, want: &expr{op: name, name: word}, broadcast: st.axes[i].broadcast})
	}
	return list
}

// manyMark is part of the names of the axes that one name stands for.
const manyMark = localMark + "_"

// readable returns a name as the user wrote it: of the second last axis of *batch, "batch[-2]".
func readable(name string) string {
	name = strings.TrimPrefix(name, localMark)
	if many, at, is := strings.Cut(name, manyMark); is {
		return many + "[-" + at + "]"
	}
	return name
}

// fixedCount returns how many axes the name of several axes stands for. ok is false if the form has no such name, or if
// it may stand for fewer because it is broadcast.
func (st *statement) fixedCount() (name string, count int, ok bool) {
	if st.many < 0 || st.sizes != nil {
		return "", 0, false
	}
	a := st.axes[st.many]
	return a.many, len(st.Node.Shape()) - len(st.axes) + 1, a.many != anonymous && !a.broadcast
}
