package pb

import _ "embed"

// Proto is the text that the messages are generated from.
//
//go:embed wire.proto
var Proto string
