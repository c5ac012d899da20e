package axislint

import "github.com/broadloom/broadloom/graph"

// maxFollowed bounds how many values are followed to their users.
const maxFollowed = 64

// step says what a search does after it has visited a node.
type step uint8

const (
	passOver step = iota // go on, but not to the users of this node
	goOn                 // visit the users of this node, too
	end                  // end the search
)

// follow visits the users of a value, then the users of those for which visit returns goOn, and so on. user reads x. Gradients and nodes with
// mistakes are left out. It reports whether visit has ended the search.
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
