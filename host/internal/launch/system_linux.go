package launch

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
)

// resident returns how much memory the process and its descendants use. The arenas that they map do not count, nor twice what they share
// since they were forked, but that is subtracted only when the sum is above limit, since it is costly to read.
func resident(pid int, limit int64) (total int64) {
	family := []int{pid}
	for i := 0; i < len(family); i++ {
		family = append(family, childrenOf(family[i])...)
	}
	for _, member := range family {
		status, err := statusOf(member)
		if err != nil { // it has just ended
			continue
		}
		total += int64(status.RssAnon + status.RssShmem)
	}
	if total <= limit {
		return total
	}
	for _, member := range family {
		total -= mappedArenas(member)
		if status, err := statusOf(member); err == nil && len(family) > 1 {
			total -= max(0, int64(status.RssAnon)-anonymous(member))
		}
	}
	return total
}

// peakSoFar returns the most memory that the process has had itself, with the arenas. Only its own status is read: to end a process whose
// threads were looked at costs the system milliseconds.
func peakSoFar(pid int) int64 {
	status, err := statusOf(pid)
	if err != nil {
		return 0
	}
	return int64(status.VmHWM)
}

func statusOf(pid int) (procfs.ProcStatus, error) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return procfs.ProcStatus{}, err
	}
	return p.NewStatus()
}

func childrenOf(pid int) (all []int) {
	threads := fmt.Sprintf("/proc/%d/task", pid)
	entries, _ := os.ReadDir(threads)
	for _, thread := range entries {
		text, _ := os.ReadFile(filepath.Join(threads, thread.Name(), "children"))
		for field := range strings.FieldsSeq(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				all = append(all, child)
			}
		}
	}
	return all
}

// anonymous returns how many bytes a process has that are of no file, those that several processes share by its share.
func anonymous(pid int) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "Pss_Anon:"); ok {
			kb, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return kb << 10
		}
	}
	return math.MaxInt64 // an old kernel: nothing is known to be shared
}

// ownPeak returns the most memory that this process has had.
func ownPeak() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Maxrss << 10
}

// peakOf returns the most memory that a process had which has ended.
func peakOf(state *os.ProcessState) int64 {
	if u, ok := state.SysUsage().(*syscall.Rusage); ok {
		return u.Maxrss << 10
	}
	return 0
}

// mappedArenas returns how many bytes of arenas are resident in a process.
func mappedArenas(pid int) (total int64) {
	file, err := os.Open(fmt.Sprintf("/proc/%d/smaps", pid))
	if err != nil {
		return 0
	}
	defer file.Close()
	ours := false
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		if rest, ok := strings.CutPrefix(line, "Rss:"); ok {
			if ours {
				kb, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64)
				total += kb << 10
			}
			continue
		}
		if first, _, _ := strings.Cut(line, " "); strings.Contains(first, "-") { // the address of a mapping
			ours = strings.Contains(line, "/memfd:sluice-")
		}
	}
	return total
}

// usage returns the processor time of a process, and how much memory it has for itself, without the arenas.
func usage(pid int) (cpu time.Duration, memory int64) {
	p, err := procfs.NewProc(pid)
	if err != nil { // it has just ended
		return 0, 0
	}
	if stat, err := p.Stat(); err == nil {
		cpu = time.Duration(stat.CPUTime() * float64(time.Second))
	}
	if status, err := p.NewStatus(); err == nil {
		memory = int64(status.RssAnon)
	}
	return cpu, memory
}

// ownFile names the program that runs now, even when its path leads to another by now.
func ownFile(string) string { return "/proc/self/exe" }

// inPlace has nothing to check: the descriptor runs, not the path.
func (p *program) inPlace() error { return nil }

// command runs the program through its descriptor, which the process gets as the next one after files.
func (p *program) command(args []string, files []*os.File) *exec.Cmd {
	const first = 3 // descriptor of the first of ExtraFiles
	fd := first + len(files)
	return &exec.Cmd{
		Path:       "/proc/self/fd/" + strconv.Itoa(fd),
		Args:       append([]string{p.path}, args...),
		ExtraFiles: append(files[:len(files):len(files)], p.file),
	}
}
