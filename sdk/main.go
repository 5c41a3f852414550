package sdk

// Main serves p to the host and does not return.
func Main(p Plugin) { panic("served by package wire") }
