package chaos

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tidwall/gjson"
	"golang.org/x/sys/unix"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/wire/rpc"
)

// StayEnv is set in the environment of a process that a plugin has forked, and that is to stay.
const StayEnv = "SLUICE_CHAOS_STAY"

// Ends of the names that the program has, by which it knows how records are to reach it.
const (
	inlineSuffix = "-inline" // in messages, since no memory can be mapped
	plainSuffix  = "-plain"  // in messages, and without any other feature of the protocol
)

// Serve is the program sluice-plugin-chaos, or what becomes another program whose calls are held.
func Serve() {
	if how := os.Getenv(holdEnv); how != "" {
		fmt.Fprintln(os.Stderr, become(how))
		os.Exit(1)
	}
	if os.Getenv(StayEnv) != "" {
		signal.Ignore()
		select {}
	}
	plugins := []sdk.Plugin{plain, ordered, forgetful, calls}
	switch self := os.Args[0]; {
	case strings.HasSuffix(self, inlineSuffix):
		hideMemory()
	case strings.HasSuffix(self, plainSuffix):
		rpc.ServePlain(sdk.Host(plugins...))
		os.Exit(0)
	}
	sdk.Main(plugins...)
}

// hideMemory puts something that cannot be mapped in the place of the memory that this process was started with.
func hideMemory() {
	other, err := os.Open(os.DevNull)
	if err != nil {
		panic(err)
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		name, _ := os.Readlink("/proc/self/fd/" + e.Name())
		if fd, err := strconv.Atoi(e.Name()); err == nil && strings.HasPrefix(name, "/memfd:sluice") {
			_ = unix.Dup3(int(other.Fd()), fd, 0)
		}
	}
}

type attributes struct {
	Self   string `hcl:"self" doc:"what it answers to in records and orders"`
	Orders string `hcl:"orders,optional" doc:"file of what it is to do wrong"`
	Wants  string `hcl:"wants,optional" doc:"the kind of records that it takes; others it declines"`
}

// The plugins do what records ask for under the name of the step, and then whatever an order says.
var (
	plain = sdk.Plugin{
		Name: "chaos", Doc: "does as records and orders say", Args: attributes{}, New: open, Outputs: []string{"seen"},
	}
	ordered = sdk.Plugin{
		Name: "chaos-ordered", Doc: "counts records, and does as records and orders say", Args: attributes{}, New: openCounter, Outputs: []string{"seen"}, Ordered: true,
	}
	forgetful = sdk.Plugin{
		Name: "chaos-forgetful", Doc: "does as records and orders say, and cannot be interrupted", Args: attributes{}, New: open, Outputs: []string{"seen"}, Ordered: true,
	}
	calls = sdk.Plugin{
		Name: "chaos-calls", Doc: "does as records and orders say, several at once", Args: attributes{}, New: open, Outputs: []string{"seen"}, Concurrent: true,
	}
)

type processor struct {
	attributes
	orders []order
}

func open(a sdk.Args) (sdk.Processor, error) {
	var p processor
	if err := a.Decode(&p.attributes); err != nil {
		return nil, err
	}
	if p.Orders != "" {
		p.orders = readOrders(p.Orders, p.Self)
		tellPid(filepath.Dir(p.Orders), os.Getpid())
	}
	return &p, nil
}

// A counter numbers the records. An interrupted run goes on with the next number.
type counter struct {
	sdk.Processor
	name string
	n    uint64
}

func openCounter(a sdk.Args) (sdk.Processor, error) {
	p, err := open(a)
	if err != nil {
		return nil, err
	}
	return &counter{Processor: p, name: "n_" + p.(*processor).Self}, nil
}

// Close implements io.Closer.
func (c *counter) Close() error { return c.Processor.(io.Closer).Close() }

// Process implements sdk.Processor.
func (c *counter) Process(ctx context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	c.n++
	if err := r.Set(c.name, c.n); err != nil {
		return err
	}
	return c.Processor.Process(ctx, r, emit)
}

// Save implements sdk.Saver.
func (c *counter) Save(w io.Writer) error { return binary.Write(w, binary.LittleEndian, c.n) }

// Restore implements sdk.Saver.
func (c *counter) Restore(r io.Reader) error { return binary.Read(r, binary.LittleEndian, &c.n) }

// tellPid leaves word of a process that must be gone when the host is.
func tellPid(dir string, pid int) {
	f, err := os.OpenFile(filepath.Join(dir, "pids"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	fmt.Fprintln(f, pid)
}

// Process implements sdk.Processor.
func (p *processor) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	if p.Wants != "" && r.Get("kind").Str != p.Wants {
		return sdk.Decline("of another kind")
	}
	for _, o := range p.orders {
		if o.id == r.Get("id").Int() && !o.closing() && o.take() {
			if err := p.obey(o.do, r, emit); err != nil {
				return err
			}
		}
	}
	switch r.Get("do." + p.Self).Str {
	case "drop":
		return sdk.Drop("asked")
	case "reject":
		return sdk.Reject("asked", "do", "as asked")
	case "side":
		r.Side("seen", fmt.Appendf(nil, `{"id":%d}`, r.Get("id").Int()))
	case "grow":
		if err := r.Set("pad", strings.Repeat(r.Get("pad").Str, 5)); err != nil {
			return err
		}
	case "shrink":
		if err := r.Delete("pad"); err != nil {
			return err
		}
	case "fan":
		row := strings.TrimSuffix(strings.TrimSpace(string(r.JSON())), "}")
		for i := range times["fan"] {
			emit(r.Derive(fmt.Appendf(nil, `%s,"copy_%s":%d}`, row, p.Self, i)))
		}
		return nil
	case "burst":
		for i := range times["burst"] {
			emit(r.Derive(fmt.Appendf(nil, `{"id":%d,"kind":%q,"copy_%s":%d}`, r.Get("id").Int(), r.Get("kind").Str, p.Self, i)))
		}
		return nil
	}
	if err := r.Set("by_"+p.Self, true); err != nil {
		return err
	}
	emit(r)
	return nil
}

// Close implements io.Closer.
func (p *processor) Close() error {
	for _, o := range p.orders {
		if !o.closing() || !o.take() {
			continue
		}
		if o.do == "close-exit" {
			os.Exit(3)
		}
		return errors.New("could not flush")
	}
	return nil
}

// An order is what a step is to do wrong at a record.
type order struct {
	id   int64
	do   string
	once bool
	done string // file that says that it was done
}

func readOrders(path, self string) (orders []order) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	for i, o := range gjson.GetBytes(text, "orders").Array() {
		if o.Get("step").Str != self {
			continue
		}
		orders = append(orders, order{o.Get("id").Int(), o.Get("do").Str, o.Get("once").Bool(), fmt.Sprintf("%s.%d.done", path, i)})
	}
	return orders
}

// closing reports whether the order is for the end, and no record.
func (o *order) closing() bool { return strings.HasPrefix(o.do, "close-") }

// take reports whether the order is to be obeyed now.
func (o *order) take() bool {
	f, err := os.OpenFile(o.done, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return !o.once
	}
	f.Close()
	return true
}

func (p *processor) obey(do string, r *sdk.Record, emit func(*sdk.Record)) error {
	if name, ok := strings.CutPrefix(do, "host-"); ok {
		return signalHost(name)
	}
	if name, ok := strings.CutPrefix(do, "stray-"); ok {
		return stray(name, filepath.Dir(p.Orders))
	}
	switch do {
	case "panic":
		panic("as ordered")
	case "exit0":
		os.Exit(0)
	case "exit1":
		os.Exit(1)
	case "kill":
		die(syscall.SIGKILL)
	case "segv":
		signal.Reset(syscall.SIGSEGV)
		die(syscall.SIGSEGV)
	case "stop":
		die(syscall.SIGSTOP)
	case "memory":
		greedy()
	case "hang":
		select {}
	case "nonsense":
		emit(r.Derive([]byte("{this is no JSON")))
		return nil
	case "late":
		go scribble()
	case "flood-out":
		flood(1)
	case "flood-err":
		flood(2)
	case "huge":
		return sdk.Reject("huge", "", "%s", strings.Repeat("words ", 1<<20))
	case "slow":
		time.Sleep(50 * time.Millisecond)
	case "child":
		return stay(filepath.Dir(p.Orders), nil)
	case "grandchild":
		return stay(filepath.Dir(p.Orders), &syscall.SysProcAttr{Setsid: true})
	case "deaf":
		signal.Ignore()
	}
	return nil
}

func signalHost(name string) error {
	sig := signals[name]
	host := os.Getppid()
	if err := syscall.Kill(host, sig); err != nil {
		return err
	}
	if sig == syscall.SIGSTOP {
		time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
		return syscall.Kill(host, syscall.SIGCONT)
	}
	return nil
}

var signals = map[string]syscall.Signal{
	"kill": syscall.SIGKILL, "term": syscall.SIGTERM, "int": syscall.SIGINT, "hup": syscall.SIGHUP, "stop": syscall.SIGSTOP,
}

func die(sig syscall.Signal) {
	_ = syscall.Kill(os.Getpid(), sig)
	select {}
}

// greedy takes memory until somebody ends it.
func greedy() {
	var all [][]byte
	for range 64 {
		piece := make([]byte, 8<<20)
		for i := 0; i < len(piece); i += 4096 {
			piece[i] = 1
		}
		all = append(all, piece)
	}
	<-make(chan bool)
	runtime.KeepAlive(all)
}

func flood(fd int) {
	line := []byte(strings.Repeat("what a plugin has to say ", 40) + "\n")
	for range 2000 {
		if _, err := syscall.Write(fd, line); err != nil && !errors.Is(err, syscall.EAGAIN) {
			return
		}
	}
}

// scribble writes over the memory that this process shares with the host, as a plugin that is broken or bad may do after it has answered.
func scribble() {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return
	}
	mem, err := os.OpenFile("/proc/self/mem", os.O_WRONLY, 0)
	if err != nil {
		return
	}
	defer mem.Close()
	for _, m := range regexp.MustCompile(`(?m)^([0-9a-f]+)-([0-9a-f]+) rw-s .*memfd:sluice`).FindAllSubmatch(maps, -1) {
		from, _ := strconv.ParseInt(string(m[1]), 16, 64)
		for i := range 2000 {
			_, _ = mem.WriteAt([]byte(`"`), from+int64(i*7)) // the start of it, where rows are
			runtime.Gosched()
		}
	}
}

// stray ends the host while this process and children of it ignore every other signal.
func stray(name, dir string) error {
	signal.Ignore()
	err := errors.Join(stay(dir, nil), stay(dir, &syscall.SysProcAttr{Setsid: true}), signalHost(name))
	if err == nil {
		select {}
	}
	return err
}

// stay forks a process that ignores every signal it can.
func stay(dir string, attr *syscall.SysProcAttr) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.Command(self)
	child.Args[0] = os.Args[0]
	child.Env = append(os.Environ(), StayEnv+"=1")
	child.Stdout, child.Stderr, child.SysProcAttr = os.Stdout, os.Stderr, attr
	if err := child.Start(); err != nil {
		return err
	}
	tellPid(dir, child.Process.Pid)
	return nil
}
