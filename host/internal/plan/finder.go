package plan

import (
	"os"
	"path/filepath"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/launch"
)

// Unlocked returns a finder for the plugins of the pipelines in a folder that ignores the lock.
func Unlocked(dir string) launch.Finder {
	return launch.Finder{Dir: dir, Path: filepath.SplitList(os.Getenv("SLUICE_PLUGIN_PATH"))}
}

// Finder returns a finder for the plugins of the pipelines in a folder that finds only programs that its lock allows, if it has
// one.
func Finder(dir string) (launch.Finder, error) {
	f := Unlocked(dir)
	lock, err := config.ReadLock(dir)
	if lock == nil || err != nil {
		return f, err
	}
	f.Lock = &launch.Lock{Path: lock.Path, System: config.System, SHA256: map[string]string{}}
	for name, p := range lock.Programs {
		f.Lock.SHA256[name] = p.SHA256[config.System]
	}
	return f, nil
}
