package chaos

import (
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Entries of the list that the system leaves on the stack of a new program, which is made of pairs of words.
const (
	ignored  = 1  // AT_IGNORE
	vdsoAt   = 33 // AT_SYSINFO_EHDR, where the system's own code is mapped, which reads the clock without a call
	wordSize = 8
)

// hideClock has a stopped program read the clock by calls, which can be held.
func hideClock(pid int) error {
	mem, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", pid), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer mem.Close()
	at, err := stackStart(pid)
	if err != nil {
		return err
	}
	word := make([]byte, wordSize)
	next := func() uint64 {
		if err == nil {
			_, err = mem.ReadAt(word, at)
		}
		at += wordSize
		return binary.NativeEndian.Uint64(word)
	}
	at += int64(next()+1) * wordSize // the arguments, and the zero behind them
	for next() != 0 && err == nil {  // the environment
	}
	for err == nil {
		switch kind, _ := next(), next(); kind {
		case 0:
			return fmt.Errorf("want where the system's code is mapped in process %d, have no such entry", pid)
		case vdsoAt:
			binary.NativeEndian.PutUint64(word, ignored)
			_, err = mem.WriteAt(word, at-2*wordSize)
			return err
		}
	}
	return err
}

// stackStart returns where the stack of a process begins: at the number of its arguments.
func stackStart(pid int) (at int64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	const startStack = 28 - 3 // the fields before it are number, name and state
	if len(fields) <= startStack {
		return 0, fmt.Errorf("want more fields of process %d, have %d", pid, len(fields))
	}
	_, err = fmt.Sscan(fields[startStack], &at)
	return at, err
}

// tellTime writes the time of a wrong clock where a call of the program wants it.
func (a *answerer) tellTime(wrong time.Duration, at uint64) unix.Errno {
	mem, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", a.host), os.O_WRONLY, 0)
	if err != nil {
		return unix.EPERM
	}
	defer mem.Close()
	now := time.Now().Add(wrong)
	var text []byte
	text = binary.NativeEndian.AppendUint64(text, uint64(now.Unix()))
	text = binary.NativeEndian.AppendUint64(text, uint64(now.Nanosecond()))
	if _, err := mem.WriteAt(text, int64(at)); err != nil {
		return unix.EFAULT
	}
	return 0
}
