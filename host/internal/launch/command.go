package launch

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/sluicehq/sluice/sdk/wire/rpc"
)

// command returns the command that starts the process, with a descriptor for each arena, and one that ends the process
// when the host is gone.
func (p *process) command() (cmd *exec.Cmd, offers []rpc.Offer, err error) {
	c := p.chain
	read, write, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	p.alive = write
	const first = 3 // descriptor of the first file
	files := []*os.File{read}
	for id, a := range c.offered {
		if !a.shared {
			offers = nil
			break
		}
		own := slices.Contains(c.out, a)
		file := a.memory.File
		if !own {
			if file, err = a.memory.ReadOnly(); err != nil {
				return nil, nil, err
			}
		}
		o := rpc.Offer{ID: uint32(id), FD: first + len(files), Size: len(a.memory.Bytes), Writable: own}
		if own {
			o.Note = a.Cap()
		}
		offers, files = append(offers, o), append(files, file)
	}
	var args []string
	if c.Location.BuiltIn {
		args = []string{ServeArg}
	}
	cmd = c.Location.program.command(args, files)
	cmd.Env = Environment(slices.Concat(c.opts.Env, c.Env))
	cmd.Env = append(cmd.Env, rpc.AliveEnv+"="+strconv.Itoa(first))
	cmd.SysProcAttr = attributes()
	return cmd, offers, nil
}

// Environment returns the environment of a plugin process: the named variables, and what a process or Go's runtime needs.
func Environment(named []string) (env []string) {
	for _, name := range append([]string{"SystemRoot", "GOGC", "GORACE"}, named...) {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	if dir, err := filepath.Abs(os.TempDir()); err == nil {
		env = append(env, "TMPDIR="+dir)
	}
	if _, ok := os.LookupEnv("GOGC"); !ok {
		// Little memory is live in a plugin, so collecting garbage every few megabytes would be most of the work.
		env = append(env, "GOGC=400")
	}
	return env
}
