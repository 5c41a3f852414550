//go:build unix

package main

// A faultyCase is one way of breaking the protocol.
type faultyCase struct {
	mode   string
	exit   int
	want   string // a form: of what is said when the run fails, else of the dead letter, "" for an empty one
	hangs  bool   // only a time limit ends it
	reason string
}

const broke = "step faulty.l: plugin faulty broke the protocol: "

var faultyCases = []faultyCase{
	{"honest", 0, "", false, "the others fail only for their mode"},

	{"emitted-unasked", 1, broke + "want 0 numbers of emitted records, have 1", false, "numbers need their verdicts"},
	{"emitted-none", 1, broke + "want one or more emitted records for a verdict 1, have 0", false, "a record would vanish"},
	{"emitted-many", 0, `"code":"invalid_output".*a record without bytes.*"line":1`, false, "records without bytes are none"},
	{"emitted-overflow", 1, broke + "want 4294967295 emitted records, have 1 lengths", false, "a count is not trusted"},
	{"verdicts-more", 1, broke + "want at most 3 records answered, have 5", false, "there is no record for a verdict"},
	{"verdicts-fewer", 1, broke + "want 3 records answered, have 2", false, "a record would vanish"},
	{"verdict-unknown", 1, broke + "want a verdict from 0 to 4, have 9", false, "it says nothing"},
	{"fault-missing", 1, broke + "want 1 faults, have 0", false, "a reject has a reason"},
	{"faults-more", 1, broke + "want 0 faults, have 2", false, "faults need their verdicts"},
	{"runs-odd", 1, broke + "want pairs of numbers as runs of faults, have 1 numbers", false, "runs are pairs"},
	{"runs-more", 1, broke + "want runs of 1 faults, have 4294967295", false, "runs are of the verdicts of their message"},
	{"runs-none", 1, broke + "want runs of one or more verdicts with one of 1 faults, have 1 with fault 7", false, "runs name faults of their message"},
	{"labels-more", 1, broke + "want labels of one of 0 new records, have 4294967294", false, "labels are of records of their message"},
	{"outside", 1, broke + "want new records inside the grant, have offset", false, "others' memory is not the plugin's"},
	{"outside-offset", 1, broke + "want new records inside the grant, have offset 18446744073709551614", false, "sums may overflow"},
	{"outside-length", 1, broke + "want new records inside the grant, .* length 18446744073709551610", false, "sums may overflow"},
	{"same-with-place", 1, broke + "want no place for a record that is its input's bytes", false, "two answers in one"},
	{"inline", 1, broke + "want new records in the granted memory, have 2 bytes inline", false, "the host must not write what is the plugin's"},
	{"labels-nowhere", 1, broke + "want labels of one of 0 new records, have 5", false, "an index is not trusted"},
	{"side-elsewhere", 1, broke + "want a side row of a record that this message answers, have record 10", false, "an index is not trusted"},
	{"count-negative", 1, broke + "want a count with a name, of 0 or more, have -5", false, "accounts only grow"},
	{"counts-forever", 1, broke + "want rows and counts together with the verdict", false, "it would never end"},
	{"empty-forever", 1, broke + "want an answer, a need for memory or the end of the batch", false, "it would never end"},
	{"need-most", 1, broke + "want a need of at most .* have 18446744073709551615", false, "a size is not trusted"},
	{"need-negative", 1, broke + "want a need of at most .* have 9223372036854775808", false, "as an int it is below 0"},
	{"need-large", 1, broke + "want a need of at most .* have 10737418240", false, "an arena is only so large"},
	{"done-early", 1, broke + "want 3 records answered, have 0", false, "records would vanish"},
	{"done-twice", 1, broke + "want the end of its stream, have a message of 0 verdicts", false, "nothing was asked"},
	{"answer-unasked", 1, broke + "want the end of its stream, have a message of 3 verdicts", false, "nothing was asked"},

	{"no-bytes", 0, `"code":"invalid_output".*a record without bytes.*"line":1`, false, "it must not become the input"},
	{"not-json", 0, `"code":"invalid_output".*want a key, have a letter at byte 1.*"line":1`, false, "outputs hold JSON"},
	{"two-values", 0, `"code":"invalid_output".*want the end of the record, have '\{' at byte 3`, false, "a record is one value"},
	{"blank", 0, `"code":"invalid_output".*want a value, have the end at byte 3`, false, "a record is one value"},
	{"bad-utf8", 0, `"code":"invalid_output".*want UTF-8, have an invalid sequence at byte 6`, false, "outputs hold UTF-8"},
	{"lines", 0, "", false, "a record over several lines is written on one"},
	{"deep", 0, `"code":"invalid_output".*want at most 10000 levels`, false, "no recursion of the host's may follow it"},
	{"deep-unclosed", 0, `"code":"invalid_output".*want at most 10000 levels`, false, "no recursion of the host's may follow it"},
	{"deep-side", 0, `"code":"invalid_output".*want a JSON object for output side`, false, "no recursion of the host's may follow it"},
	{"side-array", 0, `"code":"invalid_output".*want a JSON object for output side, have 3 bytes`, false, "rows are objects"},
	{"side-blank", 0, `"code":"invalid_output".*want a JSON object for output side, have 2 bytes`, false, "rows are objects"},
	{"side-lines", 0, "", false, "a row over several lines is written on one"},
	{"side-unknown", 0, "", false, "rows that nobody takes are counted"},
	{"drop-empty", 0, "", false, "a drop without a reason is one all the same"},
	{"fault-controls", 0, `"code":"error".*code .*bad.*which is not snake_case`, false, "codes are words"},
	{"fault-record-bad", 0, `"code":"c".*"record":null`, false, "the dead letter holds JSON"},
	{"fault-record-line", 0, `"code":"c".*"record":\{\}`, false, "the dead letter has a line for each reject"},

	{"open-error", 2, `bad attribute mode\n.*\n.*\n +bad \\x1b\[31mred\\a; see sluice docs faulty\n`, false, "a terminal would obey"},
	{"open-failure", 2, `step faulty.l cannot start\n(.*\n)*.*no licence \\x1b\[31m\n`, false, "a terminal would obey"},
	{"open-hang", 2, "want it to open within 2s, have silence", true, "no call waits for ever"},
	{"close-error", 1, "sluice: step faulty.l: could not write my totals", false, "what is not flushed is lost"},
	{"close-hang", 1, "sluice: step faulty.l: want its processors closed within 2s, have silence", true, "no call waits for ever"},
	{"hang", 1, "in.jsonl:1 to .*in.jsonl:3: step faulty.l: the plugin ended: want an answer within 2s, have silence", true, "no call waits for ever"},
	{"need-forever", 1, "step faulty.l: the plugin ended: want an answer within 2s, have silence", true, "memory that is never used answers nothing"},
	{"exhausted", 1, `sluice: step faulty.l: no seats are left of the licence\n`, false, "what a plugin runs out of is no breach"},
	{"unavailable", 1, `sluice: step faulty.l: no seats are left of the licence\n`, false, "a lost connection has this code too"},
	{"ends", 1, `sluice: step faulty.l: boom \\x1b\[31m red\n  sluice: forged \\a\n`, false, "a line of an error must not pass for the program's"},
	{"stderr-controls", 0, "", false, "a terminal would obey"},
	{"stderr-endless", 0, "", false, "a line is held in bounded memory"},
	{"stderr-flood", 0, "", false, "what is said is passed on"},
	{"count-controls", 0, "", false, "a name must not forge a line"},
	{"grandchild", 0, "", false, "whoever holds the pipes of a plugin that has ended does not hold the run"},
	{"write-input", 0, "", false, "a plugin cannot write what it should only read"},
}
