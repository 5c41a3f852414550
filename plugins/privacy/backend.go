package privacy

// A backend is a recogniser in a process of its own.
type backend struct{}
