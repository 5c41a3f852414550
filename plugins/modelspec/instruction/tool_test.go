package instruction

import "testing"

// TestTools holds which sentences forbid a tool by its format: "-" what is forbidden, and "?-" what may be meant.
func TestTools(t *testing.T) {
	const shell = "-shell:json"
	for _, c := range []struct{ reason, text, want string }{
		{"never use", "Never use `shell:json`.", shell},
		{"do not use", "Do not use `shell:json`.", shell},
		{"in capitals, a tool", "Do NOT use the `shell:json` tool.", shell},
		{"may not", "You may not use `shell:json`.", shell},
		{"cannot", "You cannot use `shell:json`.", shell},
		{"must never call", "You must never call `shell:json`.", shell},
		{"don't call", "Don't call `shell:json` under any circumstances.", shell},
		{"must not be used", "`shell:json` must not be used.", shell},
		{"must not be called", "The `shell:json` tool must not be called.", shell},
		{"not available", "The `shell:json` tool is not available.", shell},
		{"no longer available", "`shell:json` is no longer available.", shell},
		{"disabled", "The tool `shell:json` is disabled.", shell},
		{"the use of it", "Use of `shell:json` is prohibited.", shell},
		{"what it is", "Never use `shell:json`, it is dangerous.", shell},
		{"why", "Never use `shell:json`, because nothing answers it.", shell},
		{"what to use instead", "Do not use `shell:json`, use `browser:json` instead.", shell},
		{"two tools", "Never use `shell:json` or `gate:js`.", shell + ",gate:javascript"},
		{"behind what may be used", "You can use `browser:json`, but never use `shell:json`.", shell},
		{"a denial before", "Do not be rude, and never call `shell:json`.", shell},
		{"an item of a list", "Rules:\n- Be kind\n- Never use `shell:json`\n- Be brief", shell},
		{"avoid", "Avoid `shell:json`.", "?" + shell},
		{"should not", "You should not use `shell:json`.", "?" + shell},

		{"a condition", "Never use `shell:json` if you know the answer.", ""},
		{"a condition before", "When you are offline, never use `shell:json`.", ""},
		{"a part of its uses", "Never use `shell:json` to remove files.", ""},
		{"a way to use it", "Never use `shell:json` without asking.", ""},
		{"a place", "Never use `shell:json` as your first call.", ""},
		{"what to use at times", "Do not use `shell:json`, use `browser:json` when you browse.", ""},
		{"two at once", "Do not use `shell:json` and `gate:js` together.", ""},
		{"not only", "Do not only use `shell:json`.", ""},
		{"not always", "Do not always use `shell:json`.", ""},
		{"what need not be", "You do not have to use `shell:json`.", ""},
		{"what is not feared", "Do not hesitate to use `shell:json`.", ""},
		{"what others must not", "The user must never call `shell:json`.", ""},
		{"what others are told", "Tell users: never use `shell:json`.", ""},
		{"what is there", "The `shell:json` tool is available.", ""},
		{"what is only for some", "`shell:json` is not available for guests.", ""},
		{"a permission", "You can use the `shell:json` response format to call this tool.", ""},
		{"a mention", "Never mention `shell:json`.", ""},
		{"a code span that is no tool", "Never use `shell`.", ""},
		{"what is allowed again", "Never use `shell:json`. You may use `shell:json` again.", ""},
		{"what is enabled now", "Never use `shell:json`. The `shell:json` tool is now enabled.", ""},
		{"what its definition says behind", "Never use `shell:json`.\n\nYou can use the `shell:json` response format to call this tool.", shell},
		{"what is forbidden again", "You may use `shell:json` again. Never use `shell:json`.", shell},
	} {
		if have := forceOf(c.text, nil); have != c.want {
			t.Errorf("%s: want %q, have %q in %s", c.reason, c.want, have, c.text)
		}
	}
}
