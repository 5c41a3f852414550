package wire

import _ "embed"

// Proto holds the definitions of the protocol's messages, from which code for any language is generated.
//
//go:embed wire.proto
var Proto string
