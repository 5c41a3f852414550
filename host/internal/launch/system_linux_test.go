package launch

import (
	"bufio"
	"os"
	"os/exec"
	"testing"

	"github.com/sluicehq/sluice/sdk/wire"
)

// TestArenasAreNotTheProcess checks that the arenas that a process maps do not count as its memory.
func TestArenasAreNotTheProcess(t *testing.T) {
	const size = 64 << 20
	before := resident(os.Getpid(), 0)
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
	if after := resident(os.Getpid(), 0); after-before > size/2 {
		t.Errorf("want the arena left out, have %d bytes more than the %d before", after-before, before)
	}
}

// TestChildrenAreOfTheProcess checks that what a process has started counts, and what it shares with it counts once.
func TestChildrenAreOfTheProcess(t *testing.T) {
	const size = 48 << 20
	cmd := exec.Command("bash", "-c", `x=$(head -c 50331648 /dev/zero | tr '\0' x); exec 3<&0; (echo; read y <&3) & wait`)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip("want bash")
	}
	if _, err := bufio.NewReader(out).ReadByte(); err != nil {
		t.Fatal(err)
	}
	// Of bash and its child alone: the memory of this process shrinks and grows meanwhile, by what ran before.
	all := resident(cmd.Process.Pid, 1<<60)
	once := resident(cmd.Process.Pid, 0)
	if all < 2*size || once < size || once > 3*size/2 {
		t.Errorf("want %d bytes in two processes, %d of them shared, have %d and without those %d", 2*size, size, all, once)
	}
	in.Close()
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}
