package sdk

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// A Saver is a Processor of an Ordered plugin that can write down what it knows of the records so far. A run that was interrupted
// then goes on from the last checkpoint; without it, `sluice run --resume` begins with the first record.
type Saver interface {
	Processor
	// Save writes the state, between two records, and leaves it as it is. It is called every so often, while records wait. An error ends
	// the run.
	Save(w io.Writer) error
	// Restore takes over what Save of an earlier process has written, with the same attributes. It is called at most once, after New and
	// before the first record, and reads all of it: a state that ends too early or that another version of the plugin wrote is an error,
	// which keeps the run from going on.
	Restore(r io.Reader) error
}

// pieceSize is how many bytes of a state are written at once.
const pieceSize = 1 << 20

// saver returns the processor of the only step if it can save its state, or nil.
func (c *chain) saver() Saver {
	if len(c.steps) > 1 {
		return nil
	}
	s, _ := unwrapped(c.steps[0].proc).(Saver)
	return s
}

// Saves implements wire.Saver.
func (c *chain) Saves() bool { return c.saver() != nil }

// Save implements wire.Saver.
func (c *chain) Save(w io.Writer) error {
	b := bufio.NewWriterSize(w, pieceSize)
	if err := c.saver().Save(b); err != nil {
		return err
	}
	return b.Flush()
}

// Restore implements wire.Saver. Bytes that the processor leaves are the sign of a state that it did not understand.
func (c *chain) Restore(r io.Reader) error {
	b := bufio.NewReaderSize(r, pieceSize)
	if err := c.saver().Restore(b); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("want a whole state of plugin %s, have one that ends too early", c.steps[0].plugin.Name)
		}
		return err
	}
	if n, err := io.Copy(io.Discard, b); err != nil {
		return err
	} else if n > 0 {
		return fmt.Errorf("want Restore of plugin %s to read its whole state, have %d bytes left", c.steps[0].plugin.Name, n)
	}
	return nil
}
