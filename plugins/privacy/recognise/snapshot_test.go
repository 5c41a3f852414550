package recognise

import "testing"

// TestSnapshots holds the values of elements in snapshots of pages, with marks between them and their names, and what is none.
func TestSnapshots(t *testing.T) {
	const password = "PASSWORD Zx9!kQ2m"
	checkKinds(t, []kindCase{
		{"a field", `- textbox "Password" [ref=e12]: Zx9!kQ2m`, 0, password},
		{"more marks", `- textbox "Password" [active] [ref=e12] [cursor=pointer]: Zx9!kQ2m`, 0, password},
		{"a key", `- textbox "API key" [ref=e4]: 8f7d6s5a4f3d2s1q`, 0, "SECRET 8f7d6s5a4f3d2s1q"},
		{"a passport", `- textbox "Passport number" [ref=e1]: C01X00T47`, 0, "PASSPORT C01X00T47"},
		{"a birth", `- textbox "Date of birth" [ref=e9]: 1985-04-12`, 0, "DATE_OF_BIRTH 1985-04-12"},
		{"a telephone", `- textbox "Phone number" [ref=e1]: "4155552671"`, 0, "PHONE_NUMBER 4155552671"},
		{"cells of a row", "- cell \"Password\" [ref=e1]\n- cell \"Zx9!kQ2m\" [ref=e2]", 0, password},
		{"cells without marks", "- cell \"Password\"\n  - cell \"Zx9!kQ2m\"", 0, password},
		{"nodes with numbers", "StaticText 'Password'\n\t[35] textbox 'Zx9!kQ2m'", 0, password},

		{"an empty field", `- textbox "Password" [ref=e12]`, 0, ""},
		{"a field before a button", "- textbox \"Password\" [ref=e12]\n- button \"Sign in 2x\" [ref=e13]", 0, ""},
		{"a field before another one", "- textbox \"Password\" [ref=e12]\n- textbox \"Address line 2\" [ref=e13]", 0, ""},
		{"a link", "- link \"Forgot password?\" [ref=e14] [cursor=pointer]:\n  - /url: /reset2024", 0, ""},
		{"a heading before a text", "- heading \"API key\" [level=2] [ref=e3]\n- text \"Create 2 keys\"", 0, ""},
		{"a word in brackets", "password [optional]: see below", 0, ""},
	})
}
