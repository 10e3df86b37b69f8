package expansion

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	kawasaki  = "Kawasaki disease presents with prolonged fever and conjunctivitis."
	porphyria = "Likely acute porphyria."
)

func TestSplitReasoning(t *testing.T) {
	tests := []struct{ name, text, answer, reasoning string }{
		// Think tags.
		{"a pair", "<think>\nfever\n</think>\n\n" + kawasaki, kawasaki, "fever"},
		{"a closing tag alone", "Patient is febrile, maybe sepsis, 12 things to check.\n</think>\n\n" + kawasaki, kawasaki, "Patient is febrile, maybe sepsis, 12 things to check."},
		{"a closing tag alone, directly followed by the answer", "12 things to check.</think>" + kawasaki, kawasaki, "12 things to check."},
		{"upper case", "12 things.\n</THINK>\n" + kawasaki, kawasaki, "12 things."},
		{"mixed case pair", "<Think>x</tHINK>" + kawasaki, kawasaki, "x"},
		{"a no-break space and line breaks in front", "\u00a0\n\n<think>x</think>\u00a0\n" + kawasaki + "\u00a0", kawasaki, "x"},
		{"a byte order mark and a zero-width space in front", "\ufeff\u200b<think>x</think>" + kawasaki, kawasaki, "x"},
		{"an empty pair", "<think>\n\n</think>\n\n" + kawasaki, kawasaki, ""},
		{"white space inside the tags", "< think >x</ think\n>" + kawasaki, kawasaki, "x"},
		{"no-break spaces inside the tags", "<think\u00a0>x<\u00a0/think>" + kawasaki, kawasaki, "x"},
		{"attributes", `<think type="long" budget='512'>x</think>` + kawasaki, kawasaki, "x"},
		{"thinking tags", "<thinking>x</thinking>" + kawasaki, kawasaki, "x"},
		{"reasoning tags", "<reasoning>\nx\n</reasoning>\n" + kawasaki, kawasaki, "x"},
		{"one name closes another", "<thinking>x</think>" + kawasaki, kawasaki, "x"},
		{"tags in square brackets", "[THINK]x[/THINK]" + kawasaki, kawasaki, "x"},
		{"tags in triangles", "◁think▷x◁/think▷" + kawasaki, kawasaki, "x"},
		{"several blocks", "<think>a</think>\n<think>b</think>\n" + kawasaki, kawasaki, "a\n\nb"},
		{"several blocks with answer between", "<think>a</think>\none\n<think>b</think>\ntwo", "one\n\ntwo", "a\n\nb"},
		{"a later block within a line", "<think>a</think>one <think>b</think> two", "one\n\ntwo", "a\n\nb"},
		{"a closing tag twice", "a\n</think>\n\n</think>\n\n" + kawasaki, kawasaki, "a"},
		{"more reasoning up to a second closing tag", "a\n</think>\nb\n</think>\n" + kawasaki, kawasaki, "a\n\nb"},
		{"an opening tag twice", "<think>\n<think>\na\n</think>\n" + kawasaki, kawasaki, "<think>\na"},
		{"nested blocks", "<think>\na\n<think>\nb\n</think>\nc\n</think>\n" + kawasaki, kawasaki, "a\n<think>\nb\n</think>\nc"},
		{"a block behind a greeting", "Sure.\n<think>a</think>\n" + kawasaki, "Sure.\n\n" + kawasaki, "a"},
		{"a block behind the answer", kawasaki + "\n<think>is it?</think>", kawasaki, "is it?"},
		{"reasoning that mentions the opening tag before its end", "I could write <think> here.\n</think>\n" + kawasaki, kawasaki, "I could write <think> here."},
		{"nothing behind the reasoning", "<think>a</think>\n", "", "a"},
		{"windows line ends", "<think>\r\na\r\n</think>\r\n\r\n" + kawasaki + "\r\n", kawasaki, "a"},
		// Tags that are only spoken about.
		{"the answer mentions a closing tag", "<think>a</think>The tag </think> ends reasoning.", "The tag </think> ends reasoning.", "a"},
		{"the answer mentions an opening tag", "<think>a</think>The tag <think> starts reasoning.", "The tag <think> starts reasoning.", "a"},
		{"an opening tag in the middle of a sentence", "Models write <think> before they think.", "Models write <think> before they think.", ""},
		{"quoted tags", "Models write `<think>` and \"</think>\".", "Models write `<think>` and \"</think>\".", ""},
		{"words in angle brackets", "<thoughtful> and <thinking of it> are no tags", "<thoughtful> and <thinking of it> are no tags", ""},
		{"a word in square brackets", "[thought] and [reasoning] are no tags", "[thought] and [reasoning] are no tags", ""},
		{"less-than signs", "A platelet count < 150 and > 50, p<0.05 [1].", "A platelet count < 150 and > 50, p<0.05 [1].", ""},
		// Solutions.
		{"a solution", "<|begin_of_solution|>X<|end_of_solution|>", "X", ""},
		{"thought and solution", "<|begin_of_thought|>\na\n<|end_of_thought|>\n\n<|begin_of_solution|>\nX\n<|end_of_solution|>", "X", "a"},
		{"thought without solution tokens", "<|begin_of_thought|>a<|end_of_thought|>X", "X", "a"},
		{"thought token of another case", "<|BEGIN_OF_THOUGHT|>a<|End_Of_Thought|>X", "X", "a"},
		{"a solution cut off", "<|begin_of_solution|>X and", "X and", ""},
		{"a solution whose first token stands in the template", "X<|end_of_solution|>", "X", ""},
		{"a thought that the solution ends", "<|begin_of_thought|>a<|begin_of_solution|>X<|end_of_solution|>", "X", "a"},
		// Headings.
		{"sections", "## Thinking\n\nfever\n\n## Final Response\n\n" + porphyria, porphyria, "fever"},
		{"a final heading alone, in bold, with the answer on its line", "**Final response:** " + porphyria, porphyria, ""},
		{"bold with the colon outside", "fever\n**FINAL RESPONSE**: " + porphyria, porphyria, "fever"},
		{"another level and a closing mark", "### thinking:\nfever\n#### final response ####\n" + porphyria, porphyria, "fever"},
		{"bold headings", "**Thinking**\nfever\n\n**Final Response**\n" + porphyria, porphyria, "fever"},
		{"a bold heading of a level", "## **Thinking**\nfever\n## **Final Response:**\n" + porphyria, porphyria, "fever"},
		{"underscores", "__Thinking__\nfever\n__Final Response__\n" + porphyria, porphyria, "fever"},
		{"full-width colon and two spaces", "## Thinking\nfever\n## Final  Response：\n" + porphyria, porphyria, "fever"},
		{"plain headings behind a plain Thinking", "Thinking:\nfever\nFinal Response: " + porphyria, porphyria, "fever"},
		{"thinking that mentions the final response", "## Thinking\n\nmy final response should be short\n\n## Final Response\n\n" + porphyria, porphyria, "my final response should be short"},
		{"thinking with a line that starts so", "## Thinking\nFinal response should be short.\n## Final Response\n" + porphyria, porphyria, "Final response should be short."},
		{"the last of several final headings", "## Final Response\ndraft\n## Final Response\n" + porphyria, porphyria, "## Final Response\ndraft"},
		{"a passage about a final response", "The final response: remission in 40%.\nFinal response: complete in 20%.", "The final response: remission in 40%.\nFinal response: complete in 20%.", ""},
		{"a heading that goes on", "## Final response rates\n40% at week 12.", "## Final response rates\n40% at week 12.", ""},
		{"a bullet about a final response", "* Final response: 40%\n* Relapse: 10%", "* Final response: 40%\n* Relapse: 10%", ""},
		{"a passage that starts with the word thinking", "Thinking is slowed in hypothyroidism.", "Thinking is slowed in hypothyroidism.", ""},
		// Answer tags.
		{"answer tags", "<answer>X</answer>", "X", ""},
		{"answer tags twice", "<answer>X</answer> or\n<answer>Y</answer>", "Y", "<answer>X</answer> or"},
		{"answer tags behind think tags", "<think>maybe <answer>Z</answer></think>\n<answer>\nX\n</answer>", "X", "maybe <answer>Z</answer>"},
		{"text around answer tags", "so\n<Answer lang=\"en\">X</ANSWER>\ndone", "X", "so\n\ndone"},
		{"an empty last pair", "<answer>X</answer><answer></answer>", "X", "<answer></answer>"},
		{"an answer cut off", "<think>a</think><answer>X and", "X and", "a"},
		{"an opening tag that stands in the template", "X</answer>", "X", ""},
		{"an answer cut off behind a complete one", "<answer>X</answer> again: <answer>Y", "X", "again: <answer>Y"},
		{"an answer tag that is spoken about", "Use the <answer> tag, please.", "Use the <answer> tag, please.", ""},
		{"answer tags in a section", "## Thinking\na\n## Final Response\n<answer>X</answer>", "X", "a"},
		{"answer tags behind a section without an end", "## Thinking\na\n<answer>X</answer>", "X", "a"},
		// Channels.
		{"channels", "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>X<|return|>", "X", "a"},
		{"channels with a call between", "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary to=functions.x <|constrain|>json<|message|>{}<|call|>" +
			"<|start|>assistant<|channel|>final <|constrain|>json<|message|>X<|end|>", "X", "a\n\n{}"},
		{"a channel whose start stands in the template", "a<|end|><|start|>assistant<|channel|>final<|message|>X", "X", "a"},
		{"channels without their tokens", "analysisWe check fever.assistantfinalX", "X", "We check fever."},
		{"an answer that starts with the word analysis", "analysis of urine shows protein", "analysis of urine shows protein", ""},
		// No format.
		{"plain text", "  " + kawasaki + "\n", kawasaki, ""},
		{"empty text", "", "", ""},
		{"white space", " \u00a0\n", "", ""},
		{"invalid UTF-8", "<think>\xff</think>\xfeX", "\xfeX", "\xff"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			answer, reasoning, err := SplitReasoning(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if answer != tt.answer {
				t.Errorf("answer is %q\nwant      %q", answer, tt.answer)
			}
			if reasoning != tt.reasoning {
				t.Errorf("reasoning is %q\nwant         %q", reasoning, tt.reasoning)
			}
		})
	}
}

func TestSplitReasoningOfTextCutOff(t *testing.T) {
	for name, text := range map[string]string{
		"an open think tag":                   "<think>\nfever, rash, age 45, 3 days",
		"an open think tag and nothing":       "<think>",
		"an open think tag with digits":       "<think>compare [7] and [3]",
		"an open thinking tag":                "<thinking>fever",
		"an open tag behind a greeting":       "Okay.\n<think>fever",
		"an open tag behind one on its line":  "Okay. <think>fever",
		"an open tag behind a complete block": "<think>a</think>\nX\n<think>b",
		"an open thought token":               "<|begin_of_thought|>fever",
		"a Thinking section alone":            "## Thinking\n\nfever, rash",
		"a Thinking section in bold":          "**Thinking:** fever, rash",
		"an analysis channel alone":           "<|channel|>analysis<|message|>fever",
		"an analysis channel, ended":          "<|channel|>analysis<|message|>fever<|end|>",
	} {
		t.Run(name, func(t *testing.T) {
			answer, reasoning, err := SplitReasoning(text)
			if !errors.Is(err, ErrCutOff) || !strings.Contains(err.Error(), "cut off inside its reasoning") {
				t.Errorf("error is %v", err)
			}
			if answer != "" {
				t.Errorf("answer is %q", answer)
			}
			if reasoning == "" {
				t.Error("the reasoning is lost")
			}
			for _, m := range Methods() {
				if a, err := m.Read(text); !errors.Is(err, ErrCutOff) || len(a.Searches) > 0 {
					t.Errorf("%s reads %v and error %v", m.Name, a.Searches, err)
				}
			}
		})
	}
}

// bigTexts make a careless reader quadratic.
func bigTexts(n int) map[string]string {
	repeat := func(s string) string { return strings.Repeat(s, n/len(s)) }
	return map[string]string{
		"prose":             repeat("Fever for 5 days, p < 0.05 [1]. "),
		"opening tags":      repeat("<think>\n"),
		"closing tags":      repeat("</think>\n"),
		"pairs":             repeat("<think>a</think>b "),
		"doubled openings":  repeat("<think>\n<think>\n</think>\n"),
		"half tags":         repeat("<think "),
		"brackets":          repeat("<[◁"),
		"spaces":            "<think>" + repeat(" ") + "</think>X",
		"spaced tags":       repeat("                    <think>"),
		"answer tags":       repeat("<answer>a</answer>"),
		"empty answer tags": repeat("<answer></answer>"),
		"headings":          "## Thinking\n" + repeat("## Final Response\n"),
		"channels":          repeat("<|channel|>final<|message|>a<|end|>"),
		"solutions":         repeat("<|begin_of_solution|>"),
		"labels":            repeat("Search query: "),
		"label lines":       repeat("## Search query\n"),
		"marks":             "Search query: " + repeat("\"'"),
		"json brackets":     repeat("["),
		"json strings":      repeat(`{"a`),
		"synonyms":          `{"diagnoses":[` + repeat(`{"name":"gout","synonyms":["a","b"]},`) + `]}`,
		"names":             `[` + repeat(`"gout",`) + `]`,
	}
}

func TestBigTextsEnd(t *testing.T) {
	for name, text := range bigTexts(1 << 18) {
		t.Run(name, func(t *testing.T) {
			for _, m := range Methods() {
				a, err := m.Read(text)
				if (err == nil) != (len(a.Searches) > 0) {
					t.Errorf("%s: %d searches and error %v", m.Name, len(a.Searches), err)
				}
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	for name, text := range bigTexts(1 << 20) {
		for _, m := range Methods() {
			b.Run(name+"/"+m.Name, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					m.Read(text)
				}
			})
		}
	}
}

func addSeeds(f *testing.F) {
	for _, text := range bigTexts(100) {
		f.Add(text)
	}
	f.Add("<think>\na</think>\n## Thinking\nb\n**Final Response:** <answer>X</answer>")
	f.Add("## Thinking\nfever\nSearch query: \"gout\" AND 'tophi'\n\nDone.")
	f.Add("<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>X<|return|>")
	f.Add("```json\n{\"diagnoses\":[{\"name\":\"gout\",\"synonyms\":[\"podagra\"],\"probability\":\"80%\"},\"rash\",]}\n```\nSee [1].")
	f.Add("\u00a0<Think a='b'>\xff</ THINK >◁think▷[/THINK]")
}

func FuzzSplitReasoning(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		answer, reasoning, err := SplitReasoning(text)
		if err != nil && (answer != "" || !errors.Is(err, ErrCutOff)) {
			t.Fatalf("answer %q with error %v", answer, err)
		}
		for _, part := range []string{answer, reasoning} {
			if utf8.ValidString(text) && !utf8.ValidString(part) {
				t.Fatalf("%q is not valid UTF-8, the text was", part)
			}
			if part != trim(part) {
				t.Fatalf("%q is not trimmed", part)
			}
			// Pieces are joined by line breaks, and every piece is text as it was.
			for line := range strings.SplitSeq(part, "\n") {
				if !strings.Contains(text, line) {
					t.Fatalf("%q is not in the text", line)
				}
			}
		}
		if len(answer) > len(text)+1 {
			t.Fatalf("answer is longer than the text")
		}
	})
}
