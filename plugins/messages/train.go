package messages

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// trains reads a member that says whether a message is to be trained on, and reports whether it is one. A message of which
// some is not makes no target, since a row has no place for the rest.
func (m *message) trains(key string, value jsontext.JSON) bool {
	switch key {
	case "weight", "loss_scale", "loss_weight":
		m.noTarget = m.noTarget || value.Kind() != 'n' && isZero(value)
		if !isZero(value) && value != "1" && value != "1.0" && value != "true" && value != "null" {
			m.left++
		}
	case "train", "loss", "training", "trainable", "output_with_loss":
		m.noTarget = m.noTarget || value == "false" || value == "0"
		if value != "false" && value != "0" && value != "true" && value != "1" && value != "null" {
			m.left++
		}
	case "masked":
		m.noTarget = m.noTarget || value == "true" || value == "1"
	case "train_detail":
		c := value.Cursor()
		for range c.Elements() {
			m.partly = m.partly || c.Value().Get("train") == "false"
		}
		m.noTarget = m.noTarget || m.partly
		if value.Truthy() {
			m.left++
		}
	default:
		return false
	}
	return true
}

// trainsParts looks for parts of the content that are not to be trained on.
func (m *message) trainsParts() {
	if text := string(m.content); !strings.Contains(text, `"train"`) && !strings.Contains(text, `"weight"`) {
		return
	}
	c := m.content.Cursor()
	untrained, all := false, true
	for range c.Elements() {
		part := c.Value()
		weight := part.Get("weight")
		no := part.Get("train") == "false" || weight != "" && isZero(weight)
		untrained, all = untrained || no, all && no
	}
	m.noTarget = m.noTarget || untrained
	m.partly = m.partly || untrained && !all
}

// isZero reports whether a weight is none.
func isZero(weight jsontext.JSON) bool {
	return !weight.Truthy() || weight == `"0"` || weight == `"0.0"` || weight == "false"
}
