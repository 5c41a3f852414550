package chatml

import (
	"slices"
	"strconv"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A grade says how good a row is.
type grade struct {
	success, requiresRepair bool
	score, weight           float64
	rating                  string
	reasons                 []string
}

// grade returns what the row says of its quality, and where it is silent what its status, scenario and reward tell. Whatever
// speaks against a row makes it one for repair.
func (o *origin) grade(repair bool) grade {
	g := grade{success: true, score: 1, requiresRepair: repair}
	reward, isReward := number(o.get("reward"))
	switch status, scenario := o.text("status"), o.text("scenarioStatus", "scenario_status"); {
	case slices.Contains([]string{"error", "errored", "timeout", "failed", "failure", "terminated"}, status):
		g.fail("native_status=" + status)
	case slices.Contains([]string{"failed", "failure", "skipped"}, scenario):
		g.fail("scenario_status=" + scenario)
	case isReward:
		if g.score = min(max(reward, 0), 1); g.score < 0.5 {
			score := g.score
			g.fail("native_reward=" + strconv.FormatFloat(reward, 'f', 3, 64))
			g.score = score
		}
	}
	quality := o.record.Get("quality")
	if quality.Kind() != '{' {
		quality = o.metadata.Get("quality")
	}
	g.read(quality)
	return g
}

func (g *grade) fail(reason string) {
	g.success, g.requiresRepair, g.score = false, true, 0
	g.reasons = append(g.reasons, reason)
}

// read takes what the row's own quality says, and settles what it does not.
func (g *grade) read(quality jsontext.JSON) {
	weight, weighed := 0.0, false
	c := quality.Cursor()
	for key := range c.Members() {
		switch v := c.Value(); key {
		case "success":
			g.success = v != "false" && v != "0"
		case "requiresRepair":
			g.requiresRepair = v == "true" || v == "1"
		case "score":
			if n, ok := number(v); ok {
				g.score = min(max(n, 0), 1)
			}
		case "weight":
			weight, weighed = number(v)
		case "rating":
			g.rating = v.Word()
		case "reasons":
			list := v.Cursor()
			for range list.Elements() {
				if reason := list.Value(); reason.Kind() == '"' {
					g.reasons = append(g.reasons, reason.Text())
				}
			}
		}
	}
	if g.requiresRepair = g.requiresRepair || !g.success || g.rating == "repair"; g.requiresRepair {
		g.success, g.rating = false, "repair"
	}
	switch {
	case weighed:
		g.weight = max(weight, 0)
	case g.success:
		g.weight = g.score
	}
	switch {
	case slices.Contains([]string{"gold", "silver", "bronze", "repair"}, g.rating):
	case g.score >= 0.99:
		g.rating = "gold"
	case g.score >= 0.8:
		g.rating = "silver"
	default:
		g.rating = "bronze"
	}
}

func number(value jsontext.JSON) (float64, bool) {
	n, err := strconv.ParseFloat(string(value), 64)
	return n, err == nil && n == n
}

// append appends the grade as the member "quality".
func (g *grade) append(dst []byte) []byte {
	dst = strconv.AppendBool(append(dst, `,"quality":{"success":`...), g.success)
	dst = strconv.AppendFloat(append(dst, `,"score":`...), g.score, 'f', -1, 64)
	dst = strconv.AppendFloat(append(dst, `,"weight":`...), g.weight, 'f', -1, 64)
	dst = jsontext.AppendString(append(dst, `,"rating":`...), g.rating)
	dst = strconv.AppendBool(append(dst, `,"requiresRepair":`...), g.requiresRepair)
	dst = append(dst, `,"reasons":[`...)
	for i, reason := range g.reasons {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsontext.AppendString(dst, reason)
	}
	return append(dst, "]}"...)
}
