package optim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/gradcut"
)

// maxTold bounds how many parameters a message names.
const maxTold = 4

// refuseUnreached refuses, in one mistake, all parameters that no gradient of the loss reaches, such as those of a
// teacher whose answers stop gradients; nil if there are none.
func refuseUnreached(loss *graph.Node, params []*graph.Node) *graph.Node {
	if !loss.Judged() || slices.ContainsFunc(params, func(w *graph.Node) bool { return w.Graph() != loss.Graph() }) {
		return nil // which is told elsewhere
	}
	reached := reachedBy(loss)
	var unreached, scopes, cuts []string
	for _, w := range params {
		switch scope, _, is := strings.Cut(w.Name(), graph.ScopeSeparator); {
		case !reached[w]:
			unreached = append(unreached, w.Name())
			for _, line := range gradcut.Between(loss, w) {
				if !slices.Contains(cuts, line) && len(cuts) < maxTold {
					cuts = append(cuts, line)
				}
			}
		case is && !slices.Contains(scopes, scope):
			scopes = append(scopes, scope)
		}
	}
	if len(unreached) == 0 {
		return nil
	}
	named := strings.Join(unreached[:min(len(unreached), maxTold)], ", ")
	if more := len(unreached) - maxTold; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	help := "leave them out: Minimize takes the parameters to train after the loss"
	if n := len(scopes); n > 0 && n <= maxTold && !slices.ContainsFunc(unreached, func(name string) bool {
		scope, _, _ := strings.Cut(name, graph.ScopeSeparator)
		return slices.Contains(scopes, scope)
	}) {
		help = fmt.Sprintf(`train the others: Minimize(loss, optim.Trainable(g, "%s")...)`,
			strings.Join(scopes, `", "`))
	}
	summary := fmt.Sprintf("%s does not depend on %s", loss.Called(), named)
	if len(cuts) > 0 {
		summary = fmt.Sprintf("no gradient of %s flows to %s", loss.Called(), named)
	}
	return graph.Refused(
		"Minimize", nil, &graph.Mistake{Code: graph.CodeGradient, Summary: summary, Detail: cuts, Help: []string{help}},
		loss)
}

// reachedBy returns the values to which gradients of the loss flow, even where they are zero.
func reachedBy(loss *graph.Node) map[*graph.Node]bool {
	reached := map[*graph.Node]bool{loss: true}
	for _, n := range slices.Backward(loss.Graph().Nodes()[:loss.ID()+1]) {
		if reached[n] && !gradcut.Stops(n) {
			for _, x := range n.Operands() {
				reached[x] = true
			}
		}
	}
	return reached
}
