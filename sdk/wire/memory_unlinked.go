//go:build unix && !linux

package wire

import "os"

func unnamedFile(name string, size int) (*os.File, error) {
	file, err := os.CreateTemp("", "sluice-"+name+"-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(file.Name()); err != nil {
		file.Close()
		return nil, err
	}
	if err := file.Truncate(int64(size)); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func punch(*os.File, int64, int64) {} // not portable

func sealWrites(*os.File) {} // not portable

func hugePages([]byte) {}
