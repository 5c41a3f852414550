package host

import (
	"io"
	"os"
	"time"

	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk"
)

// Options say how a pipeline is read and run.
type Options struct {
	BuiltIns  []sdk.Plugin                // plugins of this program
	Version   string                      // of this program, for the receipt
	Vars      map[string]string           // variables of the pipeline
	VarsFrom  string                      // what set Vars, for messages; empty: --var
	Env       func(string) (string, bool) // os.LookupEnv when nil
	Pass      []string                    // environment variables that every program of a plugin gets, besides those that the file names
	InProcess bool                        // run built-in plugins without processes
	Inline    bool                        // send records through messages instead of shared memory
	Poison    bool                        // fail a run where a step makes something else of a record when plugins overwrite earlier ones
	Strict    bool                        // warnings are mistakes
	Receipt   string                      // path; empty: receipt.json in the run's folder
	NoReceipt bool                        // write none
	Replace   bool                        // take the place of a run of another pipeline, though files of it stay without a receipt
	Stdin     io.Reader                   // for a source that reads "-"
	Stdout    io.Writer                   // for a sink that writes "-"
	hide      func(string) string         // returns a text without sensitive values; nil: there are none
	Log       func(step, line string)     // called for what plugins write to stdout and stderr, by any goroutine
	Progress  func(Progress)              // called before the first record is read, and about twice a second while a run goes on
	Ended     func(Progress)              // called once no more records flow, however the run ends
	Batch     func(BatchSpan)             // called for every batch that a worker has finished, by any goroutine
	Started   func(StartSpan)             // called for every process that has started, by any goroutine

	// Limit runs only the first records of the inputs, as many as it says. Sample runs as many of all records, drawn by Seed and
	// their positions, and reads the inputs twice. At most one of them is above 0. The receipt and all outputs say that the run
	// did not read everything.
	Limit, Sample int64
	Seed          uint64

	// Part runs one of several parts of the inputs, see receipt.Part: every path that the run writes names the part, and all that it
	// writes is what the whole run writes for this part. It is nil for the whole run. It goes with neither Limit nor Sample.
	Part *receipt.Part

	// Store keeps what the run makes of each file of its inputs, and has what earlier runs made of them, so that it need not be made again.
	// None of Limit, Sample, Poison, Checkpoint and Resume may be set with it. It is nil when the run keeps nothing.
	Store *Store

	// Inputs replaces the paths of the sources, by their names. A source without a name here reads nothing. When it is nil, the
	// sources read the paths in the file.
	Inputs map[string][]string
	// Steps replaces the texts of files of steps, by their names in include blocks.
	Steps map[string][]byte
	// Root is a folder for everything that the run writes, each file below it by its whole path, as the receipt says. Limits of
	// rejects and differences do not apply then. When it is empty, outputs go where the file says.
	Root string

	// MaskName returns the form in which a file name or the value of a variable is shown in rows, receipts and messages, since it
	// may hold personal data. When it is nil, they are shown as they are.
	MaskName func(string) string

	// MaskText returns the form in which a receipt has what plugins may have taken from records: reasons, names of counts, values that a
	// route met, and the error of a failed run. When it is nil, it is MaskName.
	MaskText func(string) string

	// Checkpoint is the least time between two checkpoints, from which a run goes on that was interrupted. When it is 0, none are made.
	Checkpoint time.Duration
	// Resume goes on with the interrupted run that has the same receipt, if there is one. Otherwise such a run is removed.
	Resume  bool
	Command []string     // words of the command that resumes the run, for messages
	Notice  func(string) // called for what a person should know of how a run begins and goes on; may be nil

	Page *Page // is written next to the receipt; nil: none

	// Training are the built-in plugins that only text for training goes through. A file with one of them is warned of sinks whose rows went
	// through no step that says by which rules it replaces personal data.
	Training []string

	// Programs are the attributes of built-in plugins that name programs which the plugin starts.
	Programs map[string][]string
	// Drawn are the values of attributes of built-in plugins, by plugin and attribute, for which each run draws something that its rows show.
	Drawn map[string]map[string]string

	// Trusted reports whether the user trusts a pipeline or a program that it names, with this hash, in a folder. Of a pipeline that is
	// not trusted, env and file read nothing outside of its folder, Check starts no program, and Run and Explain fail. Programs in
	// absolute folders of SLUICE_PLUGIN_PATH are always trusted. When it is nil, everything is.
	Trusted func(folder, sha256 string) bool

	// Code returns hashes of the code that a built-in plugin is made of, its own and that of the SDK. It may be nil.
	Code func(plugin string) (own, sdk string)

	// Facts returns what the receipt says about a built-in plugin and its attributes, a JSON object. It may be nil.
	Facts func(plugin string, args []byte) map[string]string
}

// WithDefaults returns the options with functions where Env, Log, Notice, MaskName and MaskText are nil.
func (o Options) WithDefaults() Options {
	if o.Env == nil {
		o.Env = os.LookupEnv
	}
	if o.Log == nil {
		o.Log = func(string, string) {}
	}
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	if o.MaskName == nil {
		o.MaskName = func(name string) string { return name }
	}
	if o.MaskText == nil {
		o.MaskText = o.MaskName
	}
	return o
}
