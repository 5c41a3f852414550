package launch

import (
	"os"
	"testing"

	"github.com/sluicehq/sluice/sdk/wire"
)

// TestArenasAreNotTheProcess checks that the arenas that a process maps do not count as its memory.
func TestArenasAreNotTheProcess(t *testing.T) {
	const size = 64 << 20
	before, _ := resident(os.Getpid(), 0)
	m, err := wire.NewMemory("resident", size, true)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for i := 0; i < size; i += 4096 {
		m.Bytes[i] = 1
	}
	if mapped := mappedArenas(os.Getpid()); mapped < size {
		t.Errorf("want %d bytes of arenas in use, have %d", size, mapped)
	}
	if after, _ := resident(os.Getpid(), 0); after-before > size/2 {
		t.Errorf("want the arena left out, have %d bytes more than the %d before", after-before, before)
	}
}
