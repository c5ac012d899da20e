// Command karate learns which of two groups each member of a karate club joined when it split, from
// their friendships and from the choices of two members: a graph convolutional network (Kipf and
// Welling, Semi-supervised classification with graph convolutional networks, 2017).
//
//	go run ./examples/karate
//
// club.go has the data, and model.go has the network.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"

	"github.com/broadloom/broadloom/examples/internal/cli"
	"github.com/broadloom/broadloom/exec"
)

func main() { cli.Main("karate", run) }

func run(ctx context.Context, args []string, stdout io.Writer) error {
	var steps int
	var seed uint64
	if err := cli.Parse("karate", args, func(f *flag.FlagSet) {
		f.IntVar(&steps, "steps", 200, "`steps` of training")
		f.Uint64Var(&seed, "seed", 1, "`seed` of first values and dropout")
	}); err != nil {
		return err
	}
	m := newModel()
	train, err := exec.Compile(m.graph, exec.Outputs(m.loss), exec.Updates(m.step...))
	if err != nil {
		return err
	}
	predict, err := exec.Compile(m.graph, exec.Outputs(m.group))
	if err != nil {
		return err
	}
	from, to := friendships()
	edges := exec.Feed{m.from: from, m.to: to}
	known := exec.Feed{m.from: from, m.to: to, m.member: []int64{instructor, officer}, m.label: []int64{0, 1}}
	session := train.NewSession(exec.Seed(seed))
	for range steps {
		if _, err := session.Run(ctx, known); err != nil {
			return err
		}
	}
	r, err := predict.NewSession(exec.ShareParams(session)).Run(ctx, edges)
	if err != nil {
		return err
	}
	groups, err := exec.Values[int64](r, m.group)
	if err != nil {
		return err
	}
	right := 0
	for member, group := range groups {
		if group == joined(member) {
			right++
		} else {
			fmt.Fprintf(stdout, "member %d joined the other group\n", member+1)
		}
	}
	fmt.Fprintf(stdout, "%d of %d members are told rightly, two of which were known\n", right, members)
	return nil
}
