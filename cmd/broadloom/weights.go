package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/weights"
)

var weightsCommand = command{
	name: "weights", args: "file...",
	summary: "list the tensors of files of weights",
	help: "Weights prints the name, dtype and shape of each tensor of .safetensors, .gguf, .npz, .npy and .index.json\n" +
		"files, and their metadata.",
	run: listWeights,
}

func listWeights(f *flag.FlagSet, args []string, stdout, stderr io.Writer) int {
	if status, stop := parse(f, args, stdout, stderr); stop {
		return status
	}
	if f.NArg() == 0 {
		fmt.Fprintln(stderr, "broadloom: weights needs a file")
		return exitFailed
	}
	status := exitOK
	for i, path := range f.Args() {
		if i > 0 {
			fmt.Fprintln(stdout)
		}
		if err := describeWeights(stdout, path); err != nil {
			fmt.Fprintln(stderr, "broadloom:", err)
			status = exitErrors
		}
	}
	return status
}

// describeWeights prints a file's tensors and metadata.
func describeWeights(w io.Writer, path string) error {
	file, err := weights.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	tensors, elements := file.Tensors(), 0
	for _, t := range tensors {
		fmt.Fprintf(table, "%s\t%s\t%v\n", nameText(t.Name), t.DType, graph.MakeShape(t.Shape...))
		count := 1
		for _, n := range t.Shape {
			count *= n
		}
		elements += count
	}
	fields := map[string]any{}
	maps.Copy(fields, file.Fields())
	for key, value := range file.Metadata() {
		fields[key] = value
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		fmt.Fprintf(table, "%s\t= %s\n", nameText(key), fieldText(fields[key]))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s: %d tensors, %d elements\n", path, len(tensors), elements)
	return err
}

// maxField bounds the text of a value of metadata.
const maxField = 60

// fieldText is a value of metadata: of an array the length, and of a long text the beginning.
func fieldText(value any) string {
	if v := reflect.ValueOf(value); v.Kind() == reflect.Slice {
		return fmt.Sprintf("%d × %s", v.Len(), v.Type().Elem())
	}
	text, isText := value.(string)
	if !isText {
		return fmt.Sprint(value)
	}
	if runes := []rune(strings.ToValidUTF8(text, "�")); len(runes) > maxField {
		return fmt.Sprintf("%q… (%d characters)", string(runes[:maxField]), len(runes))
	}
	return fmt.Sprintf("%q", text)
}
