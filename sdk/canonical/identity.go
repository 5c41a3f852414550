package canonical

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Trajectory returns the id of the trajectory that the row is of: its trajectoryId, or what metadata has of the corpus it is from, the
// id of a trajectory, conversation or session; "" for none.
func (r *Row) Trajectory() jsontext.Body {
	if r.TrajectoryID != "" {
		return r.TrajectoryID
	}
	return r.metaID(trajectoryKeys[:])
}

// Scenario returns the id of the scenario that the row is a run of, which other trajectories may be too; "" for none.
func (r *Row) Scenario() jsontext.Body {
	if id := idOf(r.scenarioID); id != "" {
		return id
	}
	return r.metaID(scenarioKeys[:])
}

// Room returns the name or id of the room that the row was said in; "" for none.
func (r *Row) Room() jsontext.Body {
	if id := idOf(r.roomName); id != "" {
		return id
	}
	return r.metaID(roomKeys[:])
}

// Dialogue returns what the rows of one dialogue share in a corpus that has a row for each turn and numbers them: "c" where
// metadata.original_id is "c#0", and metadata says that the row is one of several turns; "" for none.
func (r *Row) Dialogue() jsontext.Body {
	if r.Meta("turn_index") == "" && r.Meta("turns_total") == "" { // c#0 may be the first row of a whole corpus
		return ""
	}
	id := r.Meta("original_id").Body()
	at := strings.LastIndexByte(string(id), '#')
	if at < 0 || id[at+1:] == "" || strings.Trim(string(id[at+1:]), "0123456789") != "" || id[:at].Blank() {
		return ""
	}
	return id[:at]
}

var (
	trajectoryKeys = [...]string{
		"trajectory_id", "trajectoryId", "conversation_id", "session_id", "dialogue_id", "dialog_id", "thread_id",
	}
	scenarioKeys = [...]string{"scenario_id", "scenarioId"}
	roomKeys     = [...]string{"roomName", "roomId", "room_id", "source_room_id"}
)

// metaID returns the first id that metadata has under some keys, or else the object source, in metadata or in the row.
func (r *Row) metaID(keys []string) jsontext.Body {
	for _, key := range keys {
		if id := idOf(r.Meta(key)); id != "" {
			return id
		}
	}
	for _, source := range [...]jsontext.JSON{r.Meta("source"), r.source} {
		if source.Kind() != '{' {
			continue
		}
		for _, key := range keys {
			if id := idOf(source.Get(key)); id != "" {
				return id
			}
		}
	}
	return ""
}

// idOf returns an id, which is a number or a text that is not blank.
func idOf(value jsontext.JSON) jsontext.Body {
	if kind := value.Kind(); kind == '-' || '0' <= kind && kind <= '9' {
		return jsontext.Body(value)
	}
	if body := value.Body(); !body.Blank() {
		return body
	}
	return ""
}
