package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"

	goplugin "github.com/hashicorp/go-plugin"

	"github.com/sluicehq/sluice/sdk/wire/rpc"
)

// OurVersions are those of the protocol that this host speaks, as it offers them.
var OfferedVersions = offered()

func offered() string {
	var all []string
	for v := rpc.MinVersion; v <= rpc.MaxVersion; v++ {
		all = append(all, strconv.Itoa(v))
	}
	return strings.Join(all, ",")
}

// Handshaking is what the environment of a process has of a host that offers versions of the protocol. The first further
// descriptor of the process tells that the host is alive.
func HandshakeEnv(versions, sockets string) []string {
	return []string{
		rpc.Handshake.MagicCookieKey + "=" + rpc.Handshake.MagicCookieValue, "PLUGIN_PROTOCOL_VERSIONS=" + versions,
		goplugin.EnvUnixSocketDir + "=" + sockets, "PLUGIN_MIN_PORT=0", "PLUGIN_MAX_PORT=0", rpc.AliveEnv + "=3",
	}
}

// startError puts go-plugin's words for a process that did not become a plugin into ours.
func (p *process) startError(err error) error {
	text := err.Error()
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		return errors.New("want a program for this system, or a script that begins with #!, have neither")
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("want a file that may be executed: %w", err)
	case strings.Contains(text, "incompatible API version"):
		var have int
		_, after, _ := strings.Cut(text, "Plugin version: ")
		_, _ = fmt.Sscan(after, &have)
		return fmt.Errorf("want %s, have %d: build the plugin with the SDK of this sluice", versions(), have)
	case strings.Contains(text, "Unrecognized remote plugin message") && strings.Contains(text, "Failed to read any lines"),
		strings.Contains(text, "exited before"):
		how := "without a word"
		ending, ok := p.runner.exitReason(false)
		if !ok {
			ending = "its stdout is closed"
		}
		if last := p.log.lines(); len(last) > 0 {
			how = "after saying " + strconv.Quote(strings.Join(last, "; "))
		}
		return fmt.Errorf("want a plugin that stays, have one that ended (%s) %s", ending, how)
	case strings.Contains(text, "Unrecognized remote plugin message"):
		_, line, _ := strings.Cut(text, "message: ")
		line, _, _ = strings.Cut(line, "\n")
		return fmt.Errorf("want the handshake on stdout, have %q: a plugin must print nothing there before sdk.Main", line)
	case strings.Contains(text, "timeout"):
		return fmt.Errorf("want a handshake within %v, have none", startTimeout)
	}
	return err
}

func versions() string {
	if rpc.MinVersion == rpc.MaxVersion {
		return fmt.Sprintf("protocol version %d", rpc.MaxVersion)
	}
	return fmt.Sprintf("a protocol version from %d to %d", rpc.MinVersion, rpc.MaxVersion)
}
