package mask

import (
	"net"
	"net/netip"
	"slices"
	"strings"
)

// Error masks personal data and secrets in the text of an error as Message does. The addresses that the network itself failed at, such
// as those of a resolver, are no data: they stay.
func Error(err error) string {
	text := err.Error()
	var b strings.Builder
	for addresses := networkAddresses(err); ; {
		at, address := first(text, addresses)
		if address == "" {
			break
		}
		b.WriteString(Message(text[:at]))
		b.WriteString(address)
		text = text[at+len(address):]
	}
	b.WriteString(Message(text))
	return b.String()
}

// first returns the address that comes first in a text, and where it begins; without one, the size of the text and "".
func first(text string, addresses []string) (at int, address string) {
	at = len(text)
	for _, a := range addresses {
		for i := 0; i+len(a) <= at; i++ {
			if strings.HasPrefix(text[i:], a) && !continued(text, i, i+len(a)) {
				at, address = i, a
			}
		}
	}
	return at, address
}

// continued reports whether a number goes on around a part of a text, which is part of another address then.
func continued(text string, from, to int) bool {
	return from > 0 && strings.IndexByte("0123456789.", text[from-1]) >= 0 || to < len(text) && '0' <= text[to] && text[to] <= '9'
}

// networkAddresses returns the addresses, with their ports, of the network errors that an error wraps. Names are not among them.
func networkAddresses(err error) (all []string) {
	add := func(address string) {
		if _, bad := netip.ParseAddrPort(address); bad == nil {
			all = append(all, address)
		}
	}
	switch e := err.(type) {
	case *net.OpError:
		for _, a := range []net.Addr{e.Source, e.Addr} {
			if a != nil {
				add(a.String())
			}
		}
	case *net.DNSError:
		add(e.Server)
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			all = append(all, networkAddresses(inner)...)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			all = append(all, networkAddresses(inner)...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
