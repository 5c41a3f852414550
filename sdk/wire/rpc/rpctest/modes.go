//go:build unix

package rpctest

import (
	"errors"
	"fmt"
	"math"
	"os/exec"
	"strings"
	"syscall"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sluicehq/sluice/sdk/internal/pb"
)

type answer struct {
	*faulty
	*pb.Batch
	stream grpc.BidiStreamingServer[pb.ToWorker, pb.FromWorker]
	out    *pb.FromWorker // nil: nothing
	after  func() error   // comes when out has been sent
}

func (x *answer) put(text string) error {
	if x.inline {
		x.out.Inline = []byte(text)
		x.emit(0, uint64(len(text)))
		return nil
	}
	if uint64(len(text)) > x.Grant.Length {
		if err := x.stream.Send(&pb.FromWorker{Need: uint64(len(text))}); err != nil {
			return err
		}
		m, err := x.stream.Recv()
		if err != nil {
			return err
		}
		x.Grant = m.GetGrant()
	}
	copy(x.arenas[x.Grant.Arena].mem[x.Grant.Offset:], text)
	x.emit(x.Grant.GetOffset(), uint64(len(text)))
	return nil
}

func (x *answer) emit(offset, length uint64) {
	x.out.Verdicts[0] = 1
	x.out.Emitted, x.out.Offsets, x.out.Lengths = []uint32{1}, []uint64{offset}, []uint64{length}
}

func (x *answer) fault(verdict byte, f *pb.Fault) {
	x.out.Verdicts[0], x.out.Faults = verdict, []*pb.Fault{f}
}

func (x *answer) side(index int, output, json string) {
	x.out.Sides = []*pb.Side{{Index: uint32(index), Output: output, Json: []byte(json)}}
}

func (x *answer) need(n uint64) error {
	if err := x.stream.Send(&pb.FromWorker{Need: n}); err != nil {
		return err
	}
	_, err := x.stream.Recv()
	return err
}

// forever sends messages until the host ends the stream.
func (x *answer) forever(next func(int) *pb.FromWorker) error {
	for n := 0; ; n++ {
		if err := x.stream.Send(next(n)); err != nil {
			return err
		}
	}
}

const deep = 20 << 20 // levels of nesting that no recursion survives

func saying(change func(*answer)) func(*answer) error {
	return func(x *answer) error {
		change(x)
		return nil
	}
}

func putting(text func() string) func(*answer) error {
	return func(x *answer) error { return x.put(text()) }
}

func ending(code codes.Code) func(*answer) error {
	return func(*answer) error { return status.Error(code, "no seats are left of the licence") }
}

func text(s string) func() string { return func() string { return s } }

// modes holds the ways to break the protocol.
var modes = map[string]func(*answer) error{
	"emitted-unasked": saying(func(x *answer) { x.emit(x.Grant.GetOffset(), 2); x.out.Verdicts[0] = 0 }),
	"emitted-none":    saying(func(x *answer) { x.out.Verdicts[0], x.out.Emitted = 1, []uint32{0} }),
	"emitted-many": saying(func(x *answer) {
		x.out.Verdicts[0], x.out.Emitted = 1, []uint32{1000}
		x.out.Offsets, x.out.Lengths = make([]uint64, 1000), make([]uint64, 1000)
	}),
	"emitted-overflow": saying(func(x *answer) { x.emit(0, 0); x.out.Emitted = []uint32{math.MaxUint32} }),
	"verdicts-more":    saying(func(x *answer) { x.out.Verdicts = append(x.out.Verdicts, 0, 0) }),
	"verdicts-fewer":   saying(func(x *answer) { x.out.Verdicts = x.out.Verdicts[1:] }),
	"verdict-unknown":  saying(func(x *answer) { x.out.Verdicts[0] = 9 }),
	"fault-missing":    saying(func(x *answer) { x.out.Verdicts[0] = 3 }),
	"faults-more":      saying(func(x *answer) { x.out.Faults = []*pb.Fault{{Code: "x"}, {Code: "y"}} }),
	"runs-odd":         saying(func(x *answer) { x.fault(2, &pb.Fault{}); x.out.Runs = []uint32{0} }),
	"runs-more":        saying(func(x *answer) { x.fault(2, &pb.Fault{}); x.out.Runs = []uint32{0, math.MaxUint32} }),
	"runs-none":        saying(func(x *answer) { x.fault(2, &pb.Fault{}); x.out.Runs = []uint32{7, 1} }),
	"labels-more":      saying(func(x *answer) { x.out.Labels = []*pb.Labels{{N: math.MaxUint32}} }),
	"drop-empty":       saying(func(x *answer) { x.fault(2, &pb.Fault{}) }),
	"fault-controls": saying(func(x *answer) {
		x.fault(3, &pb.Fault{Code: "bad\x1b[31m\ncode", Path: "a\x00b", Message: "m\x1b[2J\nsluice: forged"})
	}),
	"fault-record-bad":  saying(func(x *answer) { x.fault(3, &pb.Fault{Code: "c", Message: "m", Record: []byte("\xff\xfe")}) }),
	"fault-record-line": saying(func(x *answer) { x.fault(3, &pb.Fault{Code: "c", Message: "m", Record: []byte("{\n}\n")}) }),
	"outside":           saying(func(x *answer) { x.emit(x.Grant.GetOffset()+x.Grant.GetLength(), 100) }),
	"outside-offset":    saying(func(x *answer) { x.emit(math.MaxUint64-1, 100) }),
	"outside-length":    saying(func(x *answer) { x.emit(x.Grant.GetOffset(), math.MaxUint64-5) }),
	"same-with-place":   saying(func(x *answer) { x.emit(x.Grant.GetOffset(), 2); x.out.Same = []byte{1} }),
	"no-bytes":          saying(func(x *answer) { x.emit(0, 0) }),
	"inline":            saying(func(x *answer) { x.emit(0, 2); x.out.Inline = []byte("{}") }),
	"not-json":          putting(text("{not json}")),
	"two-values":        putting(text("{}\n{}")),
	"blank":             putting(text("   ")),
	"bad-utf8":          putting(text("{\"a\":\"\xff\"}")),
	"lines":             putting(text("{\"a\":\n\n1}\r\n")),
	"deep":              putting(func() string { return strings.Repeat("[", deep) + strings.Repeat("]", deep) }),
	"deep-unclosed":     putting(func() string { return strings.Repeat("[", 2*deep) }),
	"deep-side":         saying(func(x *answer) { x.side(0, "side", `{"a":`+strings.Repeat("[", deep)+strings.Repeat("]", deep)+"}") }),
	"side-elsewhere":    saying(func(x *answer) { x.side(len(x.Lengths)+7, "side", "{}") }),
	"side-array":        saying(func(x *answer) { x.side(0, "side", "[1]") }),
	"side-blank":        saying(func(x *answer) { x.side(0, "side", "  ") }),
	"side-forged":       saying(func(x *answer) { x.side(0, "side", `{"file":"forged","line":99,"a":1}`) }),
	"side-lines":        saying(func(x *answer) { x.side(0, "side", "{\n\"a\":1}\n") }),
	"side-unknown":      saying(func(x *answer) { x.side(0, "leger", "{}") }),
	"label-value": saying(func(x *answer) {
		x.emit(0, 0)
		x.out.Same, x.out.Labels = []byte{1}, []*pb.Labels{{Names: []string{"tier"}, Values: []string{"brass"}}}
	}),
	"labels-nowhere": saying(func(x *answer) { x.out.Labels = []*pb.Labels{{Index: 5, Names: []string{"a"}}} }),
	"count-negative": saying(func(x *answer) { x.out.Counts = []*pb.Count{{Name: "loss.x", N: -5}} }),
	"count-controls": saying(func(x *answer) { x.out.Counts = []*pb.Count{{Name: "loss.x\x1b[31m\nforged", N: 5}} }),
	"need-most":      func(x *answer) error { return x.need(math.MaxUint64) },
	"need-negative":  func(x *answer) error { return x.need(1 << 63) },
	"need-large":     func(x *answer) error { return x.need(10 << 30) },
	"need-forever": func(x *answer) error {
		for {
			if err := x.need(1000); err != nil {
				return err
			}
		}
	},
	"empty-forever": func(x *answer) error { return x.forever(func(int) *pb.FromWorker { return &pb.FromWorker{} }) },
	"counts-forever": func(x *answer) error {
		return x.forever(func(n int) *pb.FromWorker {
			return &pb.FromWorker{Counts: []*pb.Count{{Name: fmt.Sprint("c", n), N: 1}}}
		})
	},
	"alone": saying(func(x *answer) {
		if len(x.Lengths) == 1 {
			x.fault(2, &pb.Fault{Message: "alone"})
		}
	}),
	"inline-otherwise": saying(func(x *answer) {
		if len(x.arenas) == 0 {
			x.fault(2, &pb.Fault{Message: "inline"})
		}
	}),
	"done-early": saying(func(x *answer) { x.out = &pb.FromWorker{Done: true} }),
	"done-twice": saying(func(x *answer) { x.after = func() error { return x.stream.Send(&pb.FromWorker{Done: true}) } }),
	"answer-unasked": saying(func(x *answer) {
		x.after = func() error { return x.stream.Send(&pb.FromWorker{Verdicts: make([]byte, 3), Done: true}) }
	}),
	"hang":        func(*answer) error { select {} },
	"exhausted":   ending(codes.ResourceExhausted),
	"unavailable": ending(codes.Unavailable),
	"internal":    ending(codes.Internal),
	"canceled":    ending(codes.Canceled),
	"ends":        func(*answer) error { return errors.New("boom \x1b[31m red\nsluice: forged \x07") },
	"stderr-controls": func(x *answer) error {
		_, err := x.stderr.WriteString("\x1b[2J\x1b[31mred\x07\x1b]0;title\x07 \r sluice: forged\n")
		return err
	},
	"stderr-endless": func(x *answer) error { return x.write(strings.Repeat("a", 1<<20), 300) },
	"stderr-flood":   func(x *answer) error { return x.write(strings.Repeat(strings.Repeat("x", 60)+"\n", 100), 300) },
	"grandchild": func(x *answer) error {
		child := exec.Command("/bin/sleep", "60")
		child.Stderr, child.Stdout = x.stderr, x.stderr
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		return child.Start()
	},
	"write-input":  (*answer).writeInput,
	"write-after":  (*answer).writeAfter,
	"close-error":  nothing,
	"close-hang":   nothing,
	"open-hang":    nothing,
	"open-error":   nothing,
	"open-failure": nothing,
}

// nothing is for modes that break the protocol outside of batches.
func nothing(*answer) error { return nil }

func (x *answer) write(part string, times int) error {
	for range times {
		if _, err := x.stderr.WriteString(part); err != nil {
			return err
		}
	}
	return nil
}

// writeInput tries to get the memory of the first record for writing, in each of the ways that a system might allow.
func (x *answer) writeInput() error {
	in := x.arenas[x.Batch.Arenas[0]]
	if _, err := syscall.Mmap(int(in.Fd), 0, int(in.Size), syscall.PROT_WRITE, syscall.MAP_SHARED); err == nil {
		return errors.New("the descriptor itself can be mapped for writing")
	}
	again, err := syscall.Open(fmt.Sprintf("/proc/self/fd/%d", in.Fd), syscall.O_RDWR, 0)
	if err != nil {
		return nil
	}
	if _, err := syscall.Mmap(again, 0, int(in.Size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED); err == nil {
		return errors.New("the memory can be opened again and mapped for writing")
	}
	if _, err := syscall.Pwrite(again, []byte("spoilt"), int64(x.Offsets[0])); err == nil {
		return errors.New("the memory can be opened again and written to")
	}
	return nil
}

// writeAfter changes the bytes of a record again and again once it has been answered.
func (x *answer) writeAfter() error {
	const good, bad = `{"good":"aaaa"}`, "}}}SPOILT\n{{{{"
	if err := x.put(good); err != nil {
		return err
	}
	mem := x.arenas[x.Grant.Arena].mem[x.Grant.Offset:]
	x.after = func() error {
		for i := range 200_000 {
			if i/5_000%2 == 0 { // long enough for the host to see each of them
				copy(mem, good)
			} else {
				copy(mem, bad)
			}
		}
		return nil
	}
	return nil
}
