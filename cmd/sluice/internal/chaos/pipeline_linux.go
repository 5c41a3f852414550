package chaos

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A pipeline is a file of the language, with what a check needs to know about it.
type pipeline struct {
	text    string
	steps   []string        // of the plugin chaos, that records pass or may pass
	beside  map[string]bool // steps whose rejects are of copies of records
	sinks   []string        // sinks that the records of the stream end in
	dedups  bool
	hurried bool   // steps have a short time to answer, and little memory
	piped   string // where a copy goes: "-" for standard output, "pipe" for a pipe with a name, "" for none
	bare    bool   // without programs of others; the built-in plugins run in the host
}

// drawing is a pipeline that is drawn.
type drawing struct {
	*rand.Rand
	pipeline
	b strings.Builder
}

func drawPipeline(r *rand.Rand, n uint64) pipeline {
	d := &drawing{Rand: r, pipeline: pipeline{beside: map[string]bool{}}}
	d.bare, d.hurried = n%5 == 0 || n%5 == 3, n%5 == 2
	d.piped = d.one("", "", "", "", "", "", "-", "pipe")
	d.printf("variable \"input\" {\n  default = \"in/*\"\n}\n")
	if !d.bare {
		for _, name := range []string{plain.Name, ordered.Name, forgetful.Name, calls.Name} {
			d.printf("plugin %q {\n  path = %q\n}\n", name, pluginName+d.one("", "", inlineSuffix, plainSuffix))
		}
	}
	d.printf("source \"jsonl\" \"in\" {\n  paths = [var.input]\n  batch = %q\n}\n", d.one("256B", "2KiB", "16KiB", "64KiB", "64 records"))
	labelled := d.middle()
	d.sink("train", map[bool]string{true: "{split}", false: "train"}[labelled], d.one("", "", "\n  rotate = \"40 rows\"", "\n  rotate = \"10 kB\""))
	d.sinks = append(d.sinks, "jsonl.train")
	d.printf("dead_letter {\n")
	d.sink("rejects", "rejects", "")
	d.printf("}\n")
	if d.IntN(2) == 0 {
		d.printf("manifest {\n  path = \"out/manifest.json\"\n}\n")
	}
	d.text = d.b.String()
	return d.pipeline
}

func (d *drawing) printf(format string, args ...any) { fmt.Fprintf(&d.b, format, args...) }

func (d *drawing) one(words ...string) string { return words[d.IntN(len(words))] }

func (d *drawing) sink(name, file, more string) {
	if file != "rejects" {
		file = d.one("", "", "deep/") + file
	}
	d.printf("sink \"jsonl\" %q {\n  path = \"out/%s.jsonl%s\"%s\n}\n", name, file, d.one("", ".gz", ".zst"), more)
}

// middle draws what stands between the source and the last sink. It reports whether records have the label split.
func (d *drawing) middle() (labelled bool) {
	parts := []func(){d.route, d.tee, d.shadow, d.stats, d.dedup}
	if !d.bare {
		parts = append(parts, d.first, d.chaos, d.chaos)
	}
	if d.piped != "" {
		d.printf("tee \"out\" {\n  sink \"jsonl\" \"piped\" {\n    path = %q\n  }\n}\n", d.piped)
	}
	if !d.bare {
		d.chaos()
	}
	d.Shuffle(len(parts), func(i, k int) { parts[i], parts[k] = parts[k], parts[i] })
	for _, part := range parts[:d.IntN(len(parts))] {
		part()
	}
	if labelled = d.IntN(3) > 0; labelled {
		d.printf("step \"split\" \"split\" {\n%s}\n", d.host(false, true))
	}
	return labelled
}

// step draws a step of the plugin chaos, which inside a first keeps no state, since its neighbours may have several workers.
func (d *drawing) step(more string, first bool) string {
	name := fmt.Sprintf("s%d", len(d.steps)+len(d.beside)+1)
	plugin := plain.Name
	if !first {
		plugin = d.one(plain.Name, plain.Name, plain.Name, ordered.Name, ordered.Name, calls.Name)
		if plugin == ordered.Name && d.IntN(6) == 0 {
			plugin = forgetful.Name
		}
	}
	d.printf("step %q %q {\n  self = %q\n  orders = \"orders\"\n%s%s", plugin, name, name, more, d.host(plugin == plain.Name, false))
	if d.IntN(4) == 0 {
		d.printf("  output \"seen\" {\n")
		d.sink("seen-"+name, "seen-"+name, "")
		d.printf("  }\n")
	}
	d.printf("}\n")
	return name
}

// host draws the block of a step of the plugin chaos, or with split of the built-in plugin.
func (d *drawing) host(workers, builtIn bool) string {
	var b strings.Builder
	if !workers && !builtIn {
		b.WriteString("    workers = 1\n")
	}
	if workers {
		fmt.Fprintf(&b, "    workers = %s\n", d.one("1", "2", "4"))
		if d.IntN(3) == 0 {
			b.WriteString("    process = \"own\"\n")
		}
		if d.IntN(3) == 0 {
			b.WriteString("    batch = \"7 records\"\n")
		}
	}
	if !d.bare {
		fmt.Fprintf(&b, "    on_crash = %q\n", d.one("fail", "isolate"))
	}
	if d.hurried && !builtIn {
		b.WriteString("    timeout = \"2s\"\n    memory = \"200MiB\"\n")
	}
	return "  host {\n" + b.String() + "  }\n"
}

func (d *drawing) chaos() { d.steps = append(d.steps, d.step("", false)) }

func (d *drawing) first() {
	d.printf("first \"shape\" {\n  report = \"out/shape.json\"\n  step \"native\" \"native\" {}\n")
	wants := d.one("a", "a", "none")
	for range 1 + d.IntN(3) {
		d.steps = append(d.steps, d.step(fmt.Sprintf("  wants = %q\n", wants), true))
	}
	d.steps = append(d.steps, d.step("", true))
	d.printf("}\n")
}

func (d *drawing) tee() {
	d.printf("tee \"copy\" {\n")
	if !d.bare && d.IntN(2) == 0 {
		d.beside[d.step("", false)] = true
	}
	d.sink("copy", "copy", d.one("", "\n  rotate = \"30 rows\""))
	d.printf("}\n")
}

func (d *drawing) shadow() {
	d.printf("shadow \"swap\" {\n  report = \"out/swap.json\"\n  current {\n    step \"noop\" \"now\" {}\n  }\n  candidate {\n")
	if d.bare {
		d.printf("step \"split\" \"then\" {\n  metadata = true\n}\n")
	} else {
		d.beside[d.step("", false)] = true
	}
	d.printf("  }\n")
	if d.IntN(2) == 0 {
		d.sink("differs", "differs", "")
	}
	d.printf("}\n")
}

func (d *drawing) stats() {
	d.printf("step \"stats\" \"stats\" {\n  output \"stats\" {\n")
	d.sink("stats", "stats", "")
	d.printf("  }\n}\n")
}

func (d *drawing) dedup() {
	d.dedups = true
	d.printf("step \"fingerprint\" \"fingerprint\" {}\nstep \"dedup\" \"dedup\" {}\n")
}

func (d *drawing) route() {
	d.printf("route \"kind\" {\n  on = \"kind\"\n  case \"a\" {\n")
	if !d.bare {
		d.chaos()
	}
	d.printf("  }\n  case \"b\" {\n")
	d.sink("b", "b", "")
	d.sinks = append(d.sinks, "jsonl.b")
	d.printf("  }\n")
	if d.IntN(2) == 0 {
		d.printf("  default {}\n")
	} else {
		d.printf("  rejects_others = true\n")
	}
	d.printf("}\n")
}
