package graph

import "strings"

// ScopeSeparator separates the names of scopes from each other, and from the names of values made in them:
// "block3.attn.weight", as in PyTorch's state_dict.
const ScopeSeparator = "."

// Scope builds part of a graph in a scope: names of nodes made by build start with the scope's name, and pictures can
// fold it. Dots in the name separate nested scopes.
func (g *Graph) Scope(name string, build func()) { g.inScope(g.scope.child(name), build) }

// ScopePath returns the names of the open scopes, joined with [ScopeSeparator], or "".
func (g *Graph) ScopePath() string {
	if g == nil {
		return ""
	}
	return g.scope.path()
}

// InScope is [Graph.Scope] for a whole path, regardless of open scopes: nodes of a layer are built where the layer
// was declared. The path "" is outside of any scope.
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

// of returns a name with the names of the scope and those around it.
func (s *scope) of(name string) string {
	if s.path() == "" {
		return name
	}
	return s.full + ScopeSeparator + name
}
