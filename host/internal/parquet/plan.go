package parquet

import (
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A Type is the type of a column.
type Type string

// The types that a column can be given.
const (
	Text   Type = "string"
	Int    Type = "int64"
	Uint   Type = "uint64"
	Double Type = "double"
	Bool   Type = "bool"
	JSON   Type = "json" // any value, as its text
)

// Types lists them.
var Types = []Type{Text, Int, Uint, Double, Bool, JSON}

// A Column names a column that is written as JSON, and says why.
type Column struct{ Path, Why string }

// A Schema is how rows are written. One writer at a time uses it.
type Schema struct {
	root     *place
	leaves   []*place
	elements []format.SchemaElement
	absent   []string // paths of members whose nulls are members that are not there
	asJSON   []string // paths
	JSON     []Column // that follow from what the rows are like, for people
	Unmet    []string // paths of columns with a type that is given, and that no row has, if there are rows
	names    []string // of the elements on the way to the one at hand
	given    map[string]Type
	objects  int64 // that were written; one writer at a time writes
}

// A place is a part of a schema, as rows are written.
type place struct {
	kind     nodeKind
	name     string
	shown    string // the path, as columns are named
	def      uint8  // definition level of a value that is there
	rep      uint8  // of a list: repetition level of its elements
	typ      Type
	given    bool // typ does not follow from the rows
	children []*place
	byName   map[string]int
	leaves   []int // below it
	nullable bool  // of JSON: a null is the text null, and no value is a member that is not there
	in       int64 // of a member: the last object that had it
	at       int   // of a leaf: of its element
	path     []string
}

// NewSchema returns the schema for rows of a shape. given has types of columns by their path, as in "messages[].content", which are not
// inferred.
func NewSchema(s *Shape, given map[string]Type) *Schema {
	x := &Schema{elements: []format.SchemaElement{{Name: "schema"}}, root: &place{kind: groupNode}, given: given}
	x.members(x.root, s, nil, "", 0)
	if s.Rows == 0 {
		x.Unmet = nil
	}
	return x
}

// members adds the places of an object's members.
func (x *Schema) members(p *place, s *Shape, path []byte, shown string, rep uint8) {
	at := len(x.elements) - 1
	p.byName = map[string]int{}
	fields := slices.Clone(s.fields)
	for _, name := range missing(fields, shown, x.given) {
		fields = append(fields, &field{name: name})
	}
	x.elements[at].NumChildren = thrift.New(int32(len(fields)))
	for _, f := range fields {
		below := shown
		if below != "" {
			below += "."
		}
		below += escapeName(f.name)
		child := x.add(&f.Shape, f.name, appendPath(slices.Clone(path), f.name), below, p.def, rep, f.present < s.objects)
		p.byName[f.name] = len(p.children)
		p.children = append(p.children, child)
		p.leaves = append(p.leaves, child.leaves...)
	}
}

// missing returns the members of the object at a path that types are given for, and that no row has.
func missing(fields []*field, shown string, given map[string]Type) (names []string) {
	prefix := shown
	if prefix != "" {
		prefix += "."
	}
	for path := range given {
		rest, below := strings.CutPrefix(path, prefix)
		if !below {
			continue
		}
		name := unescapeName(firstName(rest))
		if !slices.ContainsFunc(fields, func(f *field) bool { return f.name == name }) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// add adds the place of a member or an element, which may always be null. absent says that some objects do not have it.
func (x *Schema) add(s *Shape, name string, path []byte, shown string, def, rep uint8, absent bool) *place {
	x.names = append(x.names, name)
	p := &place{name: name, shown: shown, def: def + 1}
	typ, why := s.typeOf()
	switch given := x.given[shown]; {
	case given != "":
		typ, why, p.given = given, "", true
		if s.kinds == 0 && s.nulls == 0 {
			x.Unmet = append(x.Unmet, shown)
		}
		absent = absent || typ == JSON && !strings.HasSuffix(shown, "]")
	case below(x.given, shown+"[]"):
		typ, why = listType, ""
	case below(x.given, shown+"."):
		typ, why = groupType, ""
	case typ != JSON && absent && s.nulls > 0:
		typ, why = JSON, "null in some rows and left out in others"
	}
	if absent {
		x.absent = append(x.absent, string(closed(path)))
		p.nullable = typ == JSON
	}
	switch typ {
	case groupType:
		x.element(format.SchemaElement{Name: name})
		p.kind = groupNode
		x.members(p, s, path, shown, rep)
	case listType:
		p.kind, p.rep = listNode, rep+1
		x.list(p, s, path, shown)
	default:
		x.leaf(p, typ, path, rep)
	}
	if why != "" {
		x.JSON = append(x.JSON, Column{shown, why})
	}
	x.names = x.names[:len(x.names)-1]
	return p
}

func (x *Schema) element(e format.SchemaElement) {
	if !e.RepetitionType.Valid {
		e.RepetitionType = thrift.New(format.Optional)
	}
	x.elements = append(x.elements, e)
}

func (x *Schema) list(p *place, s *Shape, path []byte, shown string) {
	x.element(format.SchemaElement{
		Name: p.name, NumChildren: thrift.New[int32](1),
		ConvertedType: thrift.New(deprecated.List), LogicalType: format.LogicalType{Value: &format.ListType{}},
	})
	x.element(format.SchemaElement{Name: "list", NumChildren: thrift.New[int32](1), RepetitionType: thrift.New(format.Repeated)})
	of := s.element
	if of == nil {
		of = &Shape{}
	}
	x.names = append(x.names, "list")
	p.children = []*place{x.add(of, "element", path, shown+"[]", p.def+1, p.rep, false)}
	x.names = x.names[:len(x.names)-1]
	p.leaves = p.children[0].leaves
}

func (x *Schema) leaf(p *place, typ Type, path []byte, rep uint8) {
	if typ == nullType {
		typ = Text
	}
	e := format.SchemaElement{Name: p.name}
	switch typ {
	case Text:
		e.Type = thrift.New(format.ByteArray)
		e.ConvertedType, e.LogicalType = thrift.New(deprecated.UTF8), format.LogicalType{Value: &format.StringType{}}
	case JSON:
		e.Type = thrift.New(format.ByteArray)
		e.ConvertedType, e.LogicalType = thrift.New(deprecated.Json), format.LogicalType{Value: &format.JsonType{}}
		x.asJSON = append(x.asJSON, string(closed(path)))
	case Uint:
		e.Type = thrift.New(format.Int64)
		e.ConvertedType, e.LogicalType = thrift.New(deprecated.Uint64), format.LogicalType{Value: &format.IntType{BitWidth: 64}}
	case Int:
		e.Type = thrift.New(format.Int64)
	case Double:
		e.Type = thrift.New(format.Double)
	case Bool:
		e.Type = thrift.New(format.Boolean)
	}
	x.element(e)
	p.typ, p.leaves, p.rep = typ, []int{len(x.leaves)}, rep
	p.at, p.path = len(x.elements)-1, slices.Clone(x.names)
	x.leaves = append(x.leaves, p)
}

// Types that are not given to columns.
const (
	groupType Type = "object"
	listType  Type = "array"
	nullType  Type = "null"
)

// typeOf returns the type that all values of a shape have, or JSON and why.
func (s *Shape) typeOf() (t Type, why string) {
	const numbers = isInt | isAbove | isBelow | isWide | isDouble
	switch k := s.kinds; {
	case k == 0:
		return nullType, ""
	case k == isObject|isLone:
		return JSON, "objects with names that are not UTF-8"
	case s.loose && k&isLone == 0:
		return JSON, "too deep, too many names, or a name twice in one object"
	case k == isBool:
		return Bool, ""
	case k == isText:
		return Text, ""
	case k&^(isText|isLone) == 0:
		return JSON, "text that is not UTF-8"
	case k == isArray:
		return listType, ""
	case k == isObject && len(s.fields) == 0:
		return JSON, "objects without members"
	case k == isObject && s.sparse():
		return JSON, "objects with different names from row to row"
	case k == isObject:
		return groupType, ""
	case k&^(isInt|isBelow|isWide) == 0:
		return Int, ""
	case k&^(isInt|isAbove|isWide) == 0:
		return Uint, ""
	case k&^numbers == 0 && k&isWide == 0:
		return Double, ""
	case k&^(numbers|isNumber) == 0:
		return JSON, "numbers that no one type of 64 bits holds"
	}
	return JSON, "values of different types: " + strings.Join(s.kinds.names(), ", ")
}

// sparse reports whether the objects have few of the names that there are.
func (s *Shape) sparse() bool {
	present := int64(0)
	for _, f := range s.fields {
		present += f.present
	}
	return len(s.fields) > fewFields && present < s.objects*int64(len(s.fields))/4
}

func (k kinds) names() (all []string) {
	for _, x := range []struct {
		kinds kinds
		name  string
	}{
		{isBool, "boolean"}, {isInt | isAbove | isDouble | isNumber, "number"}, {isText, "string"}, {isObject, "object"}, {isArray, "array"},
	} {
		if k&x.kinds != 0 {
			all = append(all, x.name)
		}
	}
	return all
}

func below(given map[string]Type, prefix string) bool {
	for path := range given {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}
