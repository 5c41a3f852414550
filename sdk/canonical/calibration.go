package canonical

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// IsCalibration reports whether a row is for measuring a model and not for training it: its task says so, or its answer is a
// placeholder. The task is JSON, or "" for none.
func IsCalibration(task jsontext.JSON, answer jsontext.Body) bool {
	return strings.HasPrefix(task.Word(), "abliteration") || answer == "<abliteration-calibration>"
}
