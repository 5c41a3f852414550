package canonical

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// IsCalibration tells whether a row is there to measure a model with and not to train it: its task says so, or its answer is
// a mark that stands for none. The task is JSON, or "" for none.
func IsCalibration(task jsontext.JSON, answer jsontext.Body) bool {
	return strings.HasPrefix(task.Word(), "abliteration") || answer == "<abliteration-calibration>"
}
