package main

import (
	"flag"
	"fmt"
	"iter"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var long = flag.Bool("long", false, "run whole products, not only representatives")

// What is drawn at random is drawn from one seed each, so that what failed can be repeated alone.
var (
	scenarios = flag.Int("scenarios", 0, "how many scenarios each test runs that draws them at random; 0: as many as it finds enough")
	seed      = flag.Uint64("seed", 0, "seed of the first scenario; that of each next one is one more")
)

// drawn yields the seeds of the scenarios of a test that finds so many enough, or with -long so many.
func drawn(enough, whole int) iter.Seq[uint64] {
	n := enough
	switch {
	case *scenarios > 0:
		n = *scenarios
	case *long:
		n = whole
	}
	return func(yield func(uint64) bool) {
		for i := range uint64(n) {
			if !yield(*seed + i) {
				return
			}
		}
	}
}

var update = flag.Bool("update", false, "write what the program gives into the scripts")

// testPrograms are what this binary is by the name that it is started under.
var testPrograms = map[string]func(){}

// TestMain makes this binary the program by the name it is started under, and builds the test plugins, so that scripts run real processes.
func TestMain(m *testing.M) {
	// A race ends a process that a test starts, so that it is seen; and none waits a second for others at its end.
	os.Setenv("GORACE", "halt_on_error=1 atexit_sleep_ms=0")
	_ = flag.Set("test.parallel", "8") // most tests wait for processes; the command line may say otherwise
	cleanSources = func() bool { return true }
	testPrograms["sluice"] = main
	if name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"); testPrograms[name] == nil { // what tests run is trusted nowhere else
		os.Setenv("XDG_CONFIG_HOME", filepath.Join(os.TempDir(), "sluice-tests"))
	}
	testscript.Main(withPlugins{m}, testPrograms)
}

// withPlugins runs tests that find the plugins of internal/testplugins beside the program.
type withPlugins struct{ tests *testing.M }

// Run implements testscript.TestingM.
func (w withPlugins) Run() int {
	if err := buildPlugins(); err != nil {
		log.Print(err)
		return 1
	}
	return w.tests.Run()
}

// buildPlugins builds the test plugins, of which each is a name of one file.
func buildPlugins() error {
	sluice, err := exec.LookPath("sluice")
	if err != nil {
		return err
	}
	dir, ext := filepath.Dir(sluice), filepath.Ext(sluice)
	program := filepath.Join(dir, "testplugins"+ext)
	build := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", program, "./internal/testplugins")
	if isRace() {
		build.Args = slices.Insert(build.Args, 2, "-race")
	}
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build of the test plugins: %w\n%s", err, said)
	}
	names, err := exec.Command(program).Output()
	if err != nil {
		return fmt.Errorf("names of the test plugins: %w", err)
	}
	for name := range strings.FieldsSeq(string(names)) {
		if err := os.Link(program, filepath.Join(dir, "sluice-plugin-"+name+ext)); err != nil {
			return err
		}
	}
	return os.Remove(program)
}

// isRace reports whether this program was built with the race detector.
func isRace() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// TestScripts runs testdata/*.txtar. With -update the wanted files of cmp are written anew. In a script $ROOT is the
// repository, and the test plugins are found through SLUICE_PLUGIN_PATH.
func TestScripts(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	plugin, err := exec.LookPath("sluice-plugin-act")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                scriptCommands,
		Condition:           holds,
		Setup: func(env *testscript.Env) error {
			for _, name := range []string{"HOME", "GOCACHE", "GOMODCACHE", "GOPATH", "GORACE", "CGO_ENABLED"} { // to build a plugin without building everything anew
				if value, ok := os.LookupEnv(name); ok {
					env.Setenv(name, value)
				}
			}
			env.Setenv("ROOT", root)
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, ".config"))
			env.Setenv("SLUICE_PLUGIN_PATH", filepath.Dir(plugin))
			env.Values[backgroundKey{}] = new(background)
			env.Values[bucketKey{}] = new(heldBucket)
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, ".state"))
			return nil
		},
	})
}

// holds reports whether a condition of a script holds: [long] with -long, [python:MODULE] or [python:MODULE:MAJOR] when
// Python has the module, of that major version or later.
func holds(condition string) (bool, error) {
	if condition == "long" {
		return *long, nil
	}
	what, ok := strings.CutPrefix(condition, "python:")
	if !ok {
		return false, fmt.Errorf("want long or python:MODULE, have %q", condition)
	}
	module, major, versioned := strings.Cut(what, ":")
	test := "import " + module
	if versioned {
		test += "; assert int(" + module + ".__version__.split('.')[0]) >= " + major
	}
	return exec.Command("python3", "-c", test).Run() == nil, nil
}

type backgroundKey struct{}

// background is the program that a script has interrupted, with the processes that it had started, and its viewer.
type background struct {
	program  *exec.Cmd
	children []int
	view     *exec.Cmd
}
