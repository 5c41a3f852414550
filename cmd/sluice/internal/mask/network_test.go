package mask_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"testing"

	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
)

// TestError holds that an error keeps the address that the network failed at, and nothing of what a file, a record or a URL may hold.
func TestError(t *testing.T) {
	resolver := &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "jane.doe77@priv-corp.example", Server: "203.0.113.7:53"}}
	server := &net.OpError{
		Op: "read", Net: "tcp", Source: &net.TCPAddr{IP: net.IPv4(198, 51, 100, 4), Port: 40112}, Addr: &net.TCPAddr{IP: net.IPv4(203, 0, 113, 9), Port: 443},
		Err: errors.New("connection reset by peer"),
	}
	socket := &net.OpError{Op: "dial", Net: "unix", Addr: &net.UnixAddr{Name: "/home/jane.doe77@priv-corp.example/s", Net: "unix"}, Err: os.ErrNotExist}
	for _, c := range []struct {
		reason string
		err    error
		want   string
	}{
		{"a resolver, but not the name", fmt.Errorf("a: %w", resolver), "a: dial tcp: lookup <EMAIL_ADDRESS> on 203.0.113.7:53: no such host"},
		{"both ends", server, "read tcp 198.51.100.4:40112->203.0.113.9:443: connection reset by peer"},
		{"several errors", errors.Join(resolver, server), "dial tcp: lookup <EMAIL_ADDRESS> on 203.0.113.7:53: no such host\nread tcp 198.51.100.4:40112->203.0.113.9:443: connection reset by peer"},
		{"a file of an address that a record may have, too", fmt.Errorf("s3://b/203.0.113.8/jane.doe77@priv-corp.example.json: %w", server),
			"s3://b/<IP_ADDRESS>/<EMAIL_ADDRESS>.json: read tcp 198.51.100.4:40112->203.0.113.9:443: connection reset by peer"},
		{"an address in a longer one", fmt.Errorf("203.0.113.7:5301: %w", resolver.Err), "<IP_ADDRESS>:5301: lookup <EMAIL_ADDRESS> on 203.0.113.7:53: no such host"},
		{"an address that goes on", fmt.Errorf("203.0.113.9:4431: %w", server), "<IP_ADDRESS>:4431: read tcp 198.51.100.4:40112->203.0.113.9:443: connection reset by peer"},
		{"a socket is a file", socket, "dial unix /home/<EMAIL_ADDRESS>/s: file does not exist"},
		{"an address in a text alone", errors.New("want a name, have 203.0.113.7:53"), "want a name, have <IP_ADDRESS>:53"},
	} {
		if have := mask.Error(c.err); have != c.want {
			t.Errorf("%s:\nwant %s\nhave %s", c.reason, c.want, have)
		}
	}
}
