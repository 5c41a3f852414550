package parquet

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Bounds of a schema. What lies behind them becomes JSON.
const (
	maxLevels = 24   // of objects and arrays
	maxFields = 4096 // of the objects of a schema together
	fewFields = 32   // an object with more, of which rows have few, is rather a map
)

// kinds are the types of the values that a place has had.
type kinds uint16

const (
	isBool   kinds = 1 << iota
	isInt          // within 64 bits, with a sign
	isAbove        // within 64 bits, without one
	isBelow        // negative; with isInt
	isWide         // an integer that a double does not hold
	isDouble       // another number that is a double
	isNumber       // another number that is none: with more digits
	isText
	isLone // half a pair of surrogates in a text, with isText, or in a name, with isObject
	isObject
	isArray
)

// A Shape is what the values at a place of some rows are like. The zero Shape is of no rows. Shapes of rows can be merged: what a schema
// becomes depends on the rows, and on the order in which members have first been seen.
type Shape struct {
	Rows int64 // at the root

	kinds   kinds
	nulls   int64
	objects int64
	fields  []*field
	byName  map[string]*field
	element *Shape
	loose   bool // an object whose members are not told apart: a name came twice or is no UTF-8, or there are too many
	budget  *budget
}

// A budget is the fields of all shapes below one root. Where they are too many, the object that takes most of them becomes loose and gives
// them back.
type budget struct {
	root   *Shape
	fields int
	tooFew bool // for the root alone
}

// A field is a member of an object.
type field struct {
	Shape
	name    string
	present int64 // null or not
	in      int64 // the last object that had it
}

// A root is made with the first row.
func (s *Shape) root() {
	if s.budget == nil {
		s.budget = &budget{root: s}
	}
}

var (
	errTwice = errors.New("want each name once in a row of Parquet, have one twice")
	errLone  = errors.New("want names that are UTF-8 in a row of Parquet, have half a pair of surrogates in one")
)

// Add takes in a row, which is valid JSON.
func (s *Shape) Add(row []byte) error {
	s.root()
	s.Rows++
	c := jsontext.Of(row).Cursor()
	if c.Kind() != '{' {
		return fmt.Errorf("want an object for a row of Parquet, have %s", jsontext.KindName(row[c.At]))
	}
	s.kinds |= isObject
	s.object(&c, 0)
	if s.loose {
		return s.tooLoose()
	}
	return nil
}

func (s *Shape) tooLoose() error {
	switch {
	case s.budget.tooFew:
		return fmt.Errorf("want at most %d columns, have more", maxFields)
	case s.kinds&isLone != 0:
		return errLone
	}
	return errTwice
}

func (s *Shape) value(c *jsontext.Cursor, depth int) {
	switch kind := c.Kind(); kind {
	case 'n':
		s.nulls++
		c.Skip()
	case 't', 'f':
		s.kinds |= isBool
		c.Skip()
	case '"':
		s.kinds |= isText
		if body, _ := c.String(); s.kinds&isLone == 0 && jsontext.Lone(string(body), 0) >= 0 {
			s.kinds |= isLone
		}
	case '{':
		s.kinds |= isObject
		s.object(c, depth)
	case '[':
		s.kinds |= isArray
		if s.loose || depth >= maxLevels {
			s.loose = true
			c.Skip()
			return
		}
		if s.element == nil {
			s.element = &Shape{budget: s.budget}
		}
		element := s.element // which s has no more when it becomes loose
		for range c.Elements() {
			element.value(c, depth+1)
		}
	default:
		s.kinds |= numberKinds(string(c.Value()))
	}
}

func (s *Shape) object(c *jsontext.Cursor, depth int) {
	if s.objects++; s.loose || depth >= maxLevels {
		s.loose = true
		c.Skip()
		return
	}
	at := 0
	for name := range c.Members() {
		f := s.fieldAt(at, name)
		if f == nil || f.in == s.objects {
			s.loosen()
			c.Skip()
			continue
		}
		at = f.at(s, at) + 1
		f.in = s.objects
		f.present++
		f.value(c, depth+1)
	}
}

// at returns the place of a field that was found from a guess.
func (f *field) at(s *Shape, guess int) int {
	if guess < len(s.fields) && s.fields[guess] == f {
		return guess
	}
	return len(s.fields) // no guess for the next one
}

// fieldAt returns the field with a name, most likely that at a place, or nil where there may be no more.
func (s *Shape) fieldAt(at int, name string) *field {
	if at < len(s.fields) && s.fields[at].name == name {
		return s.fields[at]
	}
	if s.loose {
		return nil
	}
	if f := s.byName[name]; f != nil {
		return f
	}
	return s.addField(strings.Clone(name))
}

func (s *Shape) addField(name string) *field {
	if !utf8.ValidString(name) {
		s.kinds |= isLone
		return nil
	}
	if !s.loose && s.budget.fields >= maxFields {
		s.budget.giveBack()
	}
	if s.loose {
		return nil
	}
	s.budget.fields++
	f := &field{Shape: Shape{budget: s.budget}, name: name}
	if s.byName == nil {
		s.byName = map[string]*field{}
	}
	s.byName[name] = f
	s.fields = append(s.fields, f)
	return f
}

// Merge takes in the rows of another shape, as if they came behind its own.
func (s *Shape) Merge(o *Shape) error {
	s.root()
	s.Rows += o.Rows
	if s.merge(o); s.loose {
		return s.tooLoose()
	}
	return nil
}

func (s *Shape) merge(o *Shape) {
	s.kinds |= o.kinds
	s.nulls += o.nulls
	s.objects += o.objects
	if s.loose || o.loose {
		s.loosen()
		return
	}
	if o.element != nil {
		if s.element == nil {
			s.element = &Shape{budget: s.budget}
		}
		s.element.merge(o.element)
	}
	for _, theirs := range o.fields {
		f := s.byName[theirs.name]
		if f == nil {
			if f = s.addField(theirs.name); f == nil {
				return
			}
		}
		f.present += theirs.present
		f.merge(&theirs.Shape)
	}
}

// loosen gives back the fields of a shape and of all below it, which rows may still be adding to.
func (s *Shape) loosen() {
	for _, f := range s.fields {
		s.budget.fields--
		f.loosen()
	}
	if s.element != nil {
		s.element.loosen()
	}
	s.loose, s.fields, s.byName, s.element = true, nil, nil, nil
}

// giveBack makes an object loose: of those that few rows have the names of the one with most names, or of all, and the root only where
// no other has any.
func (b *budget) giveBack() {
	var most *Shape
	var mostSparse bool
	var look func(s *Shape)
	look = func(s *Shape) {
		sparse := s.sparse()
		if s != b.root && len(s.fields) > 0 && (most == nil || sparse && !mostSparse || sparse == mostSparse && len(s.fields) > len(most.fields)) {
			most, mostSparse = s, sparse
		}
		if s.element != nil {
			look(s.element)
		}
		for _, f := range s.fields {
			look(&f.Shape)
		}
	}
	if look(b.root); most == nil {
		most, b.tooFew = b.root, true
	}
	most.loosen()
}

// numberKinds returns what a number is. A double is one that is written back with the same value, digit for digit.
func numberKinds(text string) kinds {
	if !strings.ContainsAny(text, ".eE") && text != "-0" {
		n, err := strconv.ParseInt(text, 10, 64)
		switch {
		case err == nil && n < 0:
			return isInt | isBelow | wide(n)
		case err == nil:
			return isInt | wide(n)
		}
		if _, err := strconv.ParseUint(text, 10, 64); err == nil {
			return isAbove | isWide
		}
		return isNumber
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) || !sameNumber(text, f) {
		return isNumber
	}
	return isDouble
}

func wide(n int64) kinds {
	const exact = 1 << 53
	if n > exact || n < -exact {
		return isWide
	}
	return 0
}

// sameNumber reports whether f is written with the digits of a number.
func sameNumber(text string, f float64) bool {
	digits, exponent := significant(text)
	if len(digits) <= 15 && exponent > -290 && exponent < 290 {
		return true
	}
	var buf [32]byte
	same, at := significant(string(strconv.AppendFloat(buf[:0], f, 'e', -1, 64)))
	return digits == same && exponent == at
}

// significant returns the digits of a number without zeros around them, and the power of ten of the first.
func significant(text string) (digits string, exponent int) {
	mantissa, power, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(text, "-")), "e")
	shift, _ := strconv.Atoi(strings.TrimPrefix(power, "+"))
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	exponent = len(whole) - (len(whole) + len(fraction) - len(digits)) - 1 + shift
	if digits = strings.TrimRight(digits, "0"); digits == "" {
		return "", 0
	}
	return digits, exponent
}
