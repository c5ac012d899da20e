package graph

import "strings"

// ScopeSeparator separates the names of scopes from each other, and from the names of values made in them: "block3.attn.weight", as in
// PyTorch's state_dict.
const ScopeSeparator = "."

// Scope builds part of a graph under a name: nodes made by build have it in front of
// theirs, and pictures can fold it. A name with dots is that of scopes within each other.
func (g *Graph) Scope(name string, build func()) { g.inScope(g.scope.child(name), build) }

// ScopePath returns the names of the scopes that are open, joined with [ScopeSeparator]; "" outside
// of any.
func (g *Graph) ScopePath() string {
	if g == nil {
		return ""
	}
	return g.scope.path()
}

// InScope is [Graph.Scope] of a whole path, whatever scopes are open: what belongs to a layer
// is built where the layer was declared. The path "" is outside of any scope.
func (g *Graph) InScope(path string, build func()) {
	root := g.scope
	for root.parent != nil {
		root = root.parent
	}
	if path != "" {
		root = root.child(path)
	}
	g.inScope(root, build)
}

func (g *Graph) inScope(s *scope, build func()) {
	outer := g.scope
	g.scope = s
	defer func() { g.scope = outer }()
	if build != nil {
		build()
	}
}

type scope struct {
	parent *scope
	full   string
	kids   map[string]*scope
}

// child returns the scope of that name within s.
func (s *scope) child(name string) *scope {
	first, rest, nested := strings.Cut(name, ScopeSeparator)
	k := s.kids[first]
	if k == nil {
		k = &scope{parent: s, full: first}
		if s.full != "" {
			k.full = s.full + ScopeSeparator + first
		}
		if s.kids == nil {
			s.kids = map[string]*scope{}
		}
		s.kids[first] = k
	}
	if nested {
		return k.child(rest)
	}
	return k
}

func (s *scope) path() string {
	if s == nil {
		return ""
	}
	return s.full
}
