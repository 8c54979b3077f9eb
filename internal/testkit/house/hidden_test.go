package house

import (
	"go/ast"
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestInternalTypesAreHidden: no exported constant, variable, function, method, field or embedded type has an
// internal type that users cannot name. Users can name a type if a public package has an alias for it.
func TestInternalTypesAreHidden(t *testing.T) {
	assert.Empty(t, meet(publicPackages(t), isInternal))
}

// meet returns the places in the public API where types of refused packages occur, with the types.
func meet(packages []*types.Package, refused func(path string) bool) []string {
	met := refusedTypes{refused: refused, aliased: make(map[*types.TypeName]bool), seen: make(map[types.Type]bool)}
	for _, pkg := range packages {
		for _, name := range pkg.Scope().Names() {
			if o, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok && o.Exported() && o.IsAlias() {
				if named, ok := types.Unalias(o.Type()).(*types.Named); ok {
					met.aliased[named.Obj()] = true
				}
			}
		}
	}
	for _, pkg := range packages {
		for _, name := range pkg.Scope().Names() {
			if ast.IsExported(name) {
				met.visit(pkg.Name()+"."+name, pkg.Scope().Lookup(name).Type())
			}
		}
	}
	return met.list
}

// refusedTypes collects the types of refused packages in the public API.
type refusedTypes struct {
	refused func(path string) bool // reports whether a package is refused
	aliased map[*types.TypeName]bool
	seen    map[types.Type]bool
	list    []string // the places, with the types
}

// visit examines a type that occurs at where, its element types and its members.
func (x *refusedTypes) visit(where string, t types.Type) {
	if x.seen[t] {
		return
	}
	switch t := t.(type) {
	case *types.Alias:
		x.visit(where, types.Unalias(t))
	case *types.Named:
		x.named(where, t)
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() || f.Embedded() {
				x.visit(where+"."+f.Name(), f.Type())
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			x.visit(where+"."+m.Name(), m.Type())
		}
		for e := range t.EmbeddedTypes() {
			x.visit(where, e)
		}
	case *types.Signature:
		x.parameters(where, t.TypeParams())
		x.visit(where, t.Params())
		x.visit(where, t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			x.visit(where, v.Type())
		}
	case *types.Union:
		for term := range t.Terms() {
			x.visit(where, term.Type())
		}
	case *types.Map:
		x.visit(where, t.Key())
		x.visit(where, t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays and channels
		x.visit(where, t.Elem())
	}
}

// named examines a named type. For types of other modules it only examines the type arguments.
func (x *refusedTypes) named(where string, t *types.Named) {
	for a := range t.TypeArgs().Types() {
		x.visit(where, a)
	}
	pkg := t.Obj().Pkg()
	switch {
	case pkg == nil || !strings.HasPrefix(pkg.Path(), module):
		return
	case x.refused(pkg.Path()) && !x.aliased[t.Obj()]:
		x.list = append(x.list, where+": "+t.String())
		return
	}
	x.seen[t] = true
	where = pkg.Name() + "." + t.Obj().Name()
	x.parameters(where, t.TypeParams())
	x.visit(where, t.Underlying())
	for m := range types.NewMethodSet(types.NewPointer(t)).Methods() {
		if m.Obj().Exported() {
			x.visit(where+"."+m.Obj().Name(), m.Obj().Type())
		}
	}
}

// parameters examines the constraints of type parameters.
func (x *refusedTypes) parameters(where string, list *types.TypeParamList) {
	for p := range list.TypeParams() {
		x.visit(where, p.Constraint())
	}
}
