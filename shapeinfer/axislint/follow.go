package axislint

import "github.com/broadloom/broadloom/graph"

// maxFollowed limits the number of values that a search visits.
const maxFollowed = 64

// step says how a search continues after a node.
type step uint8

const (
	passOver step = iota // continue, but do not visit the users of this node
	goOn                 // visit the users of this node too
	end                  // end the search
)

// follow visits the users of a value, and the users of nodes for which visit returns goOn. user reads x. It skips
// gradients and nodes with mistakes, and reports whether visit ended the search.
func (l *lint) follow(n *graph.Node, visit func(x, user *graph.Node) step) (ended bool) {
	list, seen := []*graph.Node{n}, map[*graph.Node]bool{n: true}
	for i := 0; i < len(list) && i < maxFollowed; i++ {
		for _, user := range l.usersOf(list[i]) {
			if seen[user] || user.Origin() != nil || !user.Judged() || user.Err() != nil {
				continue
			}
			seen[user] = true
			switch visit(list[i], user) {
			case goOn:
				list = append(list, user)
			case end:
				return true
			}
		}
	}
	return false
}
