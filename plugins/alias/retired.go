package alias

import "github.com/sluicehq/sluice/sdk/jsontext"

// Retired reads a file of rules, and gives what reports whether the body of a name is one that a rule replaces. One goroutine
// calls it.
func Retired(file string) (func(jsontext.Body) bool, error) {
	aliases, prefixes, err := readFile(file)
	if err != nil {
		return nil, err
	}
	r := &rules{exact: map[string]string{}}
	if err := r.take(aliases, prefixes); err != nil {
		return nil, err
	}
	if err := r.ends(); err != nil {
		return nil, err
	}
	n := names{rules: r}
	return func(name jsontext.Body) bool { return n.of(name) != nil }, nil
}
