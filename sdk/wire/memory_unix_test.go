//go:build unix

package wire

import (
	"fmt"
	"os"
	"runtime"
	"testing"
)

// TestMemory holds that a reader sees what the writer writes, and can neither write nor cut it off.
func TestMemory(t *testing.T) {
	m, err := NewMemory("test", 1<<20, true)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	file, err := m.ReadOnly()
	if err != nil {
		t.Fatal(err)
	}
	view, err := MapFile(int(file.Fd()), 1<<20, false)
	if err != nil {
		t.Fatal(err)
	}
	copy(m.Bytes[100:], "seen")
	if have := string(view[100:104]); have != "seen" {
		t.Errorf("want what the writer wrote in the reader's view, have %q", have)
	}
	if runtime.GOOS != "linux" {
		return // elsewhere a reader is trusted
	}
	if _, err := MapFile(int(file.Fd()), 1<<20, true); err == nil {
		t.Error("want a read-only descriptor, have one that can be mapped for writing")
	}
	if err := m.File.Truncate(0); err == nil {
		t.Error("want a sealed size, have a memory that its writer can cut off under a reader")
	}
}

// TestSeal holds that a memory that one process writes cannot be written by another that opens the descriptor anew, which
// its owner and root always can.
func TestSeal(t *testing.T) {
	if runtime.GOOS != "linux" {
		return
	}
	reopened := func(m *Memory) error {
		file, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", m.File.Fd()), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		defer file.Close()
		mem, err := MapFile(int(file.Fd()), len(m.Bytes), true)
		if err == nil {
			mem[0] = 1
		}
		return err
	}
	source, err := NewMemory("source", 1<<16, true)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	if reopened(source) == nil {
		t.Error("want the memory that this process writes sealed from the start, have one that can be mapped for writing")
	}
	source.Bytes[0] = 2 // what is mapped stays writable

	other, err := NewMemory("worker", 1<<16, false)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := reopened(other); err != nil {
		t.Errorf("want a memory that its writer can still map, have %v", err)
	}
	if file, err := other.ReadOnly(); err != nil {
		t.Error(err)
	} else if _, err := MapFile(int(file.Fd()), 1<<16, true); err == nil {
		t.Error("want a descriptor for readers that cannot be mapped for writing, have one that can")
	}
	other.Trim(0, 1<<16)
	if other.Bytes[0] != 0 {
		t.Error("want trimmed pages to read as zeros")
	}
	other.Seal()
	if reopened(other) == nil {
		t.Error("want a sealed memory, have one that can be mapped for writing")
	}
}
