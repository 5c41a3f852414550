package editor

import (
	"maps"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/sdk/wire"
)

// quoted returns a word as a string of the language.
func quoted(word string) string { return `"` + word + `"` }

func argDoc(a wire.Arg) string {
	head := "`" + a.Name + "` takes " + a.Takes()
	switch {
	case a.Required:
		head += ", required"
	case a.Default != "":
		head += ", default `" + config.Literal(a.Default) + "`"
	}
	parts := []string{head, a.Doc}
	if a.Example != "" {
		parts = append(parts, "such as `"+config.Literal(a.Example)+"`")
	}
	return paragraphs(parts)
}

func infoDoc(info wire.Info) string {
	parts := []string{"**" + info.Name + "** " + info.Doc}
	if info.Ordered {
		parts = append(parts, "It keeps state from record to record, so it has one worker.")
	}
	if info.Concurrent {
		parts = append(parts, "Its calls wait, and a worker makes several at once, so it has one worker unless workers is set.")
	}
	var attributes []string
	for _, a := range info.Args {
		if !strings.Contains(a.Name, ".") {
			attributes = append(attributes, "- `"+a.Name+"`: "+a.Doc)
		}
	}
	list := func(title string, names []string) {
		if len(names) > 0 {
			parts = append(parts, title+" `"+strings.Join(names, "`, `")+"`")
		}
	}
	parts = append(parts, strings.Join(attributes, "\n"))
	list("outputs", info.Outputs)
	list("labels", info.Labels)
	for _, label := range slices.Sorted(maps.Keys(info.LabelValues)) {
		list("values of `"+label+"`", info.LabelValues[label])
	}
	list("reject codes", slices.Sorted(maps.Keys(info.Codes)))
	list("drop reasons", slices.Sorted(maps.Keys(info.Drops)))
	return paragraphs(parts)
}

func (v Variable) standing() string {
	if v.Default == "" {
		return "no default"
	}
	return "default " + v.Default
}

func (v Variable) doc() string {
	return paragraphs([]string{"`var." + v.Name + "`, " + v.standing(), v.Description})
}

// paragraphs joins the parts that are not empty.
func paragraphs(parts []string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n\n")
}
