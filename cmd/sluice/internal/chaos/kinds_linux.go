package chaos

import "regexp"

// A kind of faults.
type kind struct {
	where  where
	effect effect
	ended  *regexp.Regexp // how it is told that the plugin has ended for it
	asks   bool           // it asks the program to end
}

// where is what a fault comes at.
type where int

const (
	atCall    where = iota // of the host to the system
	atRecord               // in a plugin
	atStart                // of the host: it lasts for the whole run
	atReading              // of the pipe that a sink writes to
)

// effect is what may come of a fault.
type effect int

const (
	ends    effect = iota // the run may fail, and then leaves everything as it was
	rejects               // the run may fail, or reject the record
	refuses               // the run rejects the record
	passes                // the run does as without the fault
)

var kinds = map[string]kind{
	"panic": {atRecord, rejects, told(`panic: as ordered`), false},
	"exit0": {atRecord, rejects, told(`exit status 0`), false},
	"exit1": {atRecord, rejects, told(`exit status 1`), false},
	"kill":  {atRecord, rejects, told(`signal: killed`), false},
	"segv":  {atRecord, rejects, told(`exit status 2|signal: segmentation fault`), false},

	"stop":        {atRecord, rejects, told(`want an answer within 2s, have silence`), false},
	"hang":        {atRecord, rejects, told(`want an answer within 2s, have silence`), false},
	"memory":      {atRecord, rejects, told(`memory: want at most 200MiB, have more|want an answer within 2s, have silence`), false},
	"nonsense":    {atRecord, refuses, nil, false},
	"huge":        {atRecord, refuses, nil, false},
	"late":        {atRecord, rejects, nil, false},
	"flood-out":   {atRecord, passes, nil, false},
	"flood-err":   {atRecord, passes, nil, false},
	"slow":        {atRecord, passes, nil, false},
	"child":       {atRecord, passes, nil, false},
	"grandchild":  {atRecord, passes, nil, false},
	"deaf":        {atRecord, passes, nil, false},
	"close-error": {atRecord, ends, regexp.MustCompile(`could not flush`), false},
	"close-exit":  {atRecord, ends, told(`exit status 3 while it closed`), false},

	"host-kill":  {atRecord, ends, nil, false},
	"host-term":  {atRecord, ends, nil, true},
	"host-int":   {atRecord, ends, nil, true},
	"host-hup":   {atRecord, ends, nil, true},
	"host-stop":  {atRecord, passes, nil, false},
	"stray-kill": {atRecord, ends, nil, false},
	"stray-int":  {atRecord, ends, nil, true},

	"kill at call":   {atCall, ends, nil, false},
	"term at call":   {atCall, ends, nil, true},
	"int at call":    {atCall, ends, nil, true},
	"hup at call":    {atCall, ends, nil, true},
	"stop at call":   {atCall, passes, nil, false},
	"power loss":     {atCall, ends, nil, false},
	"EIO":            {atCall, ends, nil, false},
	"ENOSPC":         {atCall, ends, nil, false},
	"EACCES":         {atCall, ends, nil, false},
	"EINTR":          {atCall, passes, nil, false},
	"full disk":      {atCall, ends, nil, false},
	"slow disk":      {atCall, passes, nil, false},
	"plugin killed":  {atCall, rejects, told(`signal: killed`), false},
	"plugin stopped": {atCall, passes, nil, false},

	"clock jump":      {atStart, passes, nil, false},
	"file size limit": {atStart, ends, nil, false},
	"open file limit": {atStart, ends, nil, false},
	"slow reader":     {atReading, passes, nil, false},
	"stalled reader":  {atReading, passes, nil, false},
}

func told(how string) *regexp.Regexp { return regexp.MustCompile(`the plugin ended: (` + how + `)`) }

// The kinds of worlds without programs of others, with them, and with a short time to answer and little memory. In order, since
// scenarios take turns.
var (
	atCalls = []string{
		"kill at call", "power loss", "EIO", "full disk", "clock jump", "file size limit", "term at call", "ENOSPC", "EINTR", "stop at call",
		"power loss", "kill at call", "EACCES", "int at call", "slow disk", "open file limit", "hup at call", "slow reader", "stalled reader",
		"kill at call",
	}
	atPlugins = []string{
		"exit0", "huge", "flood-out", "flood-err", "slow", "child", "grandchild", "deaf", "host-term", "host-int",
		"panic", "kill", "segv", "exit1", "nonsense", "late", "stray-kill", "host-kill", "plugin killed", "close-exit",
		"host-hup", "host-stop", "plugin stopped", "close-error", "kill at call", "power loss", "panic", "stray-int", "host-kill", "EIO",
		"plugin killed", "open file limit", "clock jump", "stalled reader", "slow reader", "kill", "full disk", "term at call", "host-kill", "late",
	}
	inHurry = []string{
		"hang", "memory", "stop", "plugin killed", "host-int", "kill at call", "power loss", "huge", "full disk", "host-stop",
		"stop", "memory", "host-kill", "panic", "plugin stopped", "int at call", "EIO", "deaf", "stray-kill", "hang",
	}
)
