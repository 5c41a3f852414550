package recognise

import "testing"

// TestAnswers holds what somebody says who is asked for it in the line before, and answers that are none.
func TestAnswers(t *testing.T) {
	checkKinds(t, []kindCase{
		{"a number", "Agent: What's your SSN?\nCustomer: 536901234", 0, "US_SSN 536901234"},
		{"a number, asked for in general", "Q: What is the SSN?\nA: 536901234.", 0, "US_SSN 536901234"},
		{"another person's", "A: What is the customer's NHS number?\nB: 9434765919", 0, "UK_NHS 9434765919"},
		{"a telephone", "A: Your phone number?\nB: 4155552671", 0, "PHONE_NUMBER 4155552671"},
		{"a line between", "A: And your phone number?\n\nB: It's 4155552671", 0, "PHONE_NUMBER 4155552671"},
		{"times", "[10:02] Bot: Please enter your phone number\n[10:03] Kim: 4155552671", 0, "PHONE_NUMBER 4155552671"},
		{"bold names", "**A:** Your phone number?\n**B:** 4155552671", 0, "PHONE_NUMBER 4155552671"},
		{"a passport", "A: Your passport number?\nB: C01X00T47", 0, "PASSPORT C01X00T47"},
		{"a request for a password", "assistant: please tell me your password\nuser: Zx9!kQ2m", 0, "PASSWORD Zx9!kQ2m"},
		{"a question for one", "A: What's your password?\r\nB: Zx9!kQ2m", 0, "PASSWORD Zx9!kQ2m"},
		{"a birth", "A: What is your date of birth?\nB: 12 April 1985", 0, "DATE_OF_BIRTH 12 April 1985"},

		{"a sentence", "A: Your phone number?\nB: I paid 4155552671 for 2125553344", 0, ""},
		{"another kind", "A: What's your order number?\nB: 536901234", 0, ""},
		{"no value", "A: your password?\nB: I forgot it2", 0, ""},
		{"a word", "A: What's your password?\nB: none", 0, ""},
		{"a question for something to be done", "User: reset the password?\nAssistant: done2day", 0, ""},
		{"a question about the kind", "Q: how do I validate a phone number?\nA: 4155552671", 0, ""},
		{"no question", "A: your SSN field is broken.\nB: 536901234", 0, ""},
	})
}

// TestAnswersGrow holds that many questions take time in proportion.
func TestAnswersGrow(t *testing.T) {
	s := NewScan(New(Options{Regions: allRegions}))
	for _, line := range []string{"A: your SSN?\n", "tell me your ", "?\n", "B: 536901234\nA: your SSN?\n"} {
		if !grows(s, "", line) {
			t.Errorf("%q: want time in proportion to size, have more", line)
		}
	}
}
