package receipt

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/sluicehq/sluice/host/filehash"
)

// TestManifest holds that a manifest has the files below its folder, and nothing of the machine, the time or what lies beside
// the stream.
func TestManifest(t *testing.T) {
	x := Receipt{
		Run: "r", Started: time.Unix(1, 0), Sluice: "v1", Pipeline: Pipeline{Path: "/home/ann/p.hcl", SHA256: "ab"},
		Variables: map[string]string{"input": "/home/ann/*.jsonl", "out": "out", "val": "0.05"},
		Inputs:    []Input{{Name: "/home/ann/a.jsonl", Bytes: 5, Records: 2, Sum: filehash.Of(filehash.SHA256, "cd")}},
		Steps:     []StepAccount{{Name: "split.s", Plugin: "split", In: 2, Out: 2, Counts: map[string]int64{"split.train": 2}, BusySeconds: 1}},
		Outputs: []Output{
			{Path: "out/canonical/train.jsonl", Records: 2, Bytes: 9, Sum: filehash.Of(filehash.SHA256, "ef"), Sink: "jsonl.train"},
			{Path: "out/rejects.jsonl", Side: DeadLetter}, {Path: "other/x.jsonl", Records: 1},
		},
		Totals: Totals{Read: 2, Written: 2, Seconds: 3},
	}
	have, err := json.Marshal(x.Manifest("out"))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"schema":"sluice.manifest.v1","sluice":"v1","pipeline":{"path":"p.hcl","sha256":"ab"},"variables":{"val":"0.05"},` +
		`"inputs":[{"name":"a.jsonl","bytes":5,"records":2,"sha256":"cd"}],` +
		`"files":[{"path":"canonical/train.jsonl","records":2,"bytes":9,"sha256":"ef","sink":"jsonl.train"},{"path":"x.jsonl","records":1,"bytes":0}],` +
		`"records":{"read":2,"written":2,"dropped":{"total":0},"rejected":{"total":0}},` +
		`"steps":[{"step":"split.s","plugin":"split","in":2,"out":2,"dropped":{"total":0},"rejected":{"total":0},"counts":{"split.train":2}}]}`
	if string(have) != want {
		t.Errorf("want %s\nhave %s", want, have)
	}
}

// TestManifestOfParts holds that a file which one part has read as a whole is listed as in the whole run, and a share without the time of
// the file.
func TestManifestOfParts(t *testing.T) {
	at := time.Unix(1, 0)
	x := Receipt{Inputs: []Input{
		{Name: "in/a", Bytes: 5, Share: &Share{To: 5, Size: 5, Modified: at}},
		{Name: "in/b", Bytes: 3, Share: &Share{File: 1, To: 3, Line: 1, Lines: 2, Size: 9, Modified: at}},
	}}
	have, err := json.Marshal(x.Manifest("out").Inputs)
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"name":"a","bytes":5,"records":0},{"name":"b","bytes":3,"records":0,"share":{"file":1,"from":0,"to":3,"line":1,"lines":2,"size":9}}]`
	if string(have) != want {
		t.Errorf("want %s\nhave %s", want, have)
	}
	if x.Inputs[1].Share.Modified != at {
		t.Error("the receipt lost the time")
	}
}
