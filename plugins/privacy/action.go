package privacy

// An action is what is done with a finding.
type action uint8

const (
	actMask      action = iota // the name of the entity takes its place
	actHash                    // with a keyed hash of the value
	actPseudonym               // with a number that is the same for the same value within a record
	actReject                  // the record is rejected
)

var actionNames = map[string]action{"mask": actMask, "hash": actHash, "pseudonym": actPseudonym, "reject": actReject}

// actions say what is done with each entity.
type actions struct {
	usual  action
	entity map[string]action
	hasher *hasher
}

func (a *actions) of(entity string) action {
	if act, ok := a.entity[entity]; ok {
		return act
	}
	return a.usual
}

// useHashes makes pseudonyms keyed hashes, which are the same over a run without anything shared.
func (a *actions) useHashes() {
	if a.usual == actPseudonym {
		a.usual = actHash
	}
	for entity, act := range a.entity {
		if act == actPseudonym {
			a.entity[entity] = actHash
		}
	}
}
