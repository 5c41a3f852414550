package notation

import (
	"maps"
	"strconv"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// NotThreadError is the error of Read for a value that is no thread at all, so that an adapter can decline it.
type NotThreadError struct{ Reason string }

// Error implements error.
func (e *NotThreadError) Error() string { return e.Reason }

// Fault is a mistake in a thread, at a gjson path.
type Fault struct{ Code, Path, Message string }

// The codes of faults.
const (
	BadThread     = "bad_thread"     // the types of the document do not allow it
	UnknownMember = "unknown_member" // no type of the document has the member
)

// Codes returns the codes of a step that reads threads: those of Accept and the step's own.
func Codes(own map[string]string) map[string]string {
	all := map[string]string{BadThread: "the types of the document do not allow it"}
	maps.Copy(all, own)
	return all
}

// ReadAccepted reads a thread for a step. It declines what is no thread and rejects what Accept rejects.
func ReadAccepted(record jsontext.JSON) (t Thread, unknown int, err error) {
	if t, err = Read(record); err != nil {
		return t, 0, sdk.Decline(err.Error())
	}
	unknown, err = t.Accept()
	return t, unknown, err
}

// Accept rejects a thread that the types of the document do not allow, for its first such fault. Otherwise it returns how many
// members no type of the document has.
func (t *Thread) Accept() (unknown int, err error) {
	for _, f := range t.Faults {
		if f.Code == BadThread {
			return 0, sdk.Reject(f.Code, f.Path, "%s", f.Message)
		}
		unknown++
	}
	return unknown, nil
}

// RejectWrong rejects a thread with a message that is marked as incorrect. path is that of the messages, with a dot behind.
func RejectWrong(messages []Message, path string) error {
	if i := Wrong(messages); i >= 0 {
		return sdk.Reject("wrong_answer", path+strconv.Itoa(i), "want answers to learn from, have one that is marked as incorrect")
	}
	return nil
}
