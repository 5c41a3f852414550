#!/bin/sh
# Writes a labelled set for `sluice privacy eval` out of what gitleaks 8.30.1 (MIT) makes to test its rules, in 26 syntaxes.
# An entity is the name of a rule; what must not be found has no label. Secrets are drawn anew each time.
#
#     sh gitleaks_set.sh >gitleaks.jsonl
#
# It needs Go and the module proxy. gitleaks' generator runs with another function in the place of the one that checks.
set -eu
module=github.com/zricethezav/gitleaks/v8
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work"
source=$(go mod download -json "$module@v8.30.1" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
cp -R "$source" gitleaks
chmod -R u+w gitleaks
cd gitleaks
utils=cmd/generate/config/utils
sed -i.old -e 's/^func Validate(/func checked(/' -e 's/^func ValidateWithPaths(/func checkedWithPaths(/' "$utils/validate.go"
rm "$utils/validate.go.old"
cat >"$utils/labelled.go" <<'END'
package utils

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
)

var set, _ = os.Create(os.Getenv("LABELLED_SET"))

type span struct {
	Start  int    `json:"start"`
	End    int    `json:"end"`
	Entity string `json:"entity"`
}

func write(text string, spans []span) {
	if utf8.ValidString(text) {
		_ = json.NewEncoder(set).Encode(map[string]any{"text": text, "spans": spans})
	}
}

// named is the name before a value that two of the rules take for a part of the secret.
var named = map[string]*regexp.Regexp{
	"kubernetes-secret-yaml": regexp.MustCompile(`^[\w.-]+:\s+(?:[|>]\s+)?`),
	"gitlab-session-cookie":  regexp.MustCompile(`^_gitlab_session=`),
}

// label writes a text with the first place of the secret that the rule finds in it, without the name before its value.
func label(d *detect.Detector, rule, path, text string) {
	for _, f := range d.Detect(detect.Fragment{Raw: text, FilePath: path}) {
		if at := strings.Index(text, f.Secret); at >= 0 && f.Secret != "" {
			if form := named[rule]; form != nil {
				at += len(form.FindString(f.Secret))
				f.Secret = form.ReplaceAllString(f.Secret, "")
			}
			start := utf8.RuneCountInString(text[:at])
			write(text, []span{{start, start + utf8.RuneCountInString(f.Secret), rule}})
			return
		}
	}
}

func Validate(rule config.Rule, wanted, unwanted []string) *config.Rule {
	d := createSingleRuleDetector(&rule)
	for _, text := range wanted {
		label(d, rule.RuleID, "", text)
	}
	for _, text := range unwanted {
		write(text, []span{})
	}
	return &rule
}

func ValidateWithPaths(rule config.Rule, wanted, unwanted map[string]string) *config.Rule {
	d := createSingleRuleDetector(&rule)
	for path, text := range wanted {
		label(d, rule.RuleID, path, text)
	}
	for _, text := range unwanted {
		write(text, []span{})
	}
	return &rule
}
END
cd cmd/generate/config
LABELLED_SET="$work/set.jsonl" go run . "$work/unused.toml" >&2
cat "$work/set.jsonl"
