package operators_test

import (
	"bytes"
	"flag"
	"os/exec"
	"path/filepath"
	"testing"
)

var long = flag.Bool("long", false, "install Airflow, Dagster and Prefect, and run the examples in them")

// TestOperators runs each example in a virtual environment of its own, with the releases that it was written for.
func TestOperators(t *testing.T) {
	if !*long {
		return
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("want python3, have none")
	}
	if said, err := exec.Command(python, "-c", "import sys; assert sys.version_info >= (3, 11)").CombinedOutput(); err != nil {
		t.Skipf("want Python 3.11: %s", bytes.TrimSpace(said))
	}
	tools := t.TempDir()
	for _, command := range [][]string{
		{python, "-m", "venv", tools},
		{filepath.Join(tools, "bin", "pip"), "install", "--quiet", "--disable-pip-version-check", "uv"}, // installs in a tenth of pip's time
	} {
		if said, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Skipf("want uv by pip: %v\n%s", err, said)
		}
	}
	uv := filepath.Join(tools, "bin", "uv")
	sdk, err := filepath.Abs("../../sdk/python")
	if err != nil {
		t.Fatal(err)
	}
	sluice := filepath.Join(t.TempDir(), "sluice")
	if said, err := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", sluice, "../../cmd/sluice").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for name, packages := range map[string][]string{
		"airflow": {"apache-airflow>=3.3,<3.4"},
		"dagster": {"dagster>=1.13,<1.14"},
		"prefect": {"prefect>=3.8,<3.9", "fastapi<0.140"}, // whose server fails with later ones
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			own := filepath.Join(dir, "bin", "python")
			for _, command := range [][]string{{"venv", "--quiet", "--allow-existing", "--python", python, dir}, append([]string{"pip", "install", "--quiet", "--python", own}, packages...)} {
				if said, err := exec.Command(uv, command...).CombinedOutput(); err != nil {
					t.Skipf("want %s by uv: %v\n%s", name, err, said)
				}
			}
			test := exec.Command(own, "-B", "-m", "unittest", name+"_test")
			test.Env = append(test.Environ(), "PYTHONPATH="+sdk, "SLUICE_PROGRAM="+sluice, "XDG_CONFIG_HOME="+filepath.Join(dir, "config"), "PREFECT_HOME="+filepath.Join(dir, "prefect"), "DAGSTER_HOME=")
			if said, err := test.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, said)
			}
		})
	}
}
