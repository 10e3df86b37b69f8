package text

import (
	"strings"
	"testing"
)

// The words are the examples of Porter's paper, and those that show how Lucene's form departs from it.
func TestPorterStemsTheExamplesOfItsPaper(t *testing.T) {
	for _, c := range []struct{ step, stems string }{
		{"plurals", "caresses caress ponies poni ties ti caress caress cats cat"},
		{"past and progressive", `feed feed agreed agre plastered plaster bled bled motoring motor sing sing conflated conflat troubled troubl sized size
			hopping hop tanned tan falling fall hissing hiss fizzed fizz failing fail filing file`},
		{"y", "happy happi sky sky"},
		{"double suffixes", `relational relat conditional condit rational ration valenci valenc hesitanci hesit digitizer digit conformabli conform
			radicalli radic differentli differ vileli vile analogousli analog vietnamization vietnam predication predic operator oper
			feudalism feudal decisiveness decis hopefulness hope callousness callous formaliti formal sensitiviti sensit sensibiliti sensibl`},
		{"-ic-, -full, -ness", `triplicate triplic formative form formalize formal electriciti electr electrical electr hopeful hope goodness good`},
		{"suffixes of long stems", `revival reviv allowance allow inference infer airliner airlin gyroscopic gyroscop adjustable adjust defensible defens
			irritant irrit replacement replac adjustment adjust dependent depend adoption adopt homologou homolog communism commun
			activate activ angulariti angular homologous homolog effective effect bowdlerize bowdler`},
		{"final e and ll", "probate probat rate rate cease ceas controll control roll roll"},
		{"several steps", "generalizations gener oscillators oscil"},
		{"departures from the paper", "possibly possibl analogy analog archaeology archaeolog"},
		{"short words stay", "is is as as é é és és 𝐚 𝐚"},
		{"digits and apostrophes are consonants", "il6 il6 b12s b12 o'neil's o'neil' 3ing 3ing"},
		{"other letters are consonants", "naïves naïv cafés café xéing xéing oéed oé"},
		{"doubled letters outside ASCII", "aééed aé a𝐚𝐚ed a𝐚𝐚"},
		{"y behind a vowel is none", "boyed boi toying toi syzygy syzygi"},
	} {
		t.Run(c.step, func(t *testing.T) {
			words := strings.Fields(c.stems)
			for i := 0; i < len(words); i += 2 {
				if got := string(porter([]byte(words[i]))); got != words[i+1] {
					t.Errorf("%s becomes %s instead of %s", words[i], got, words[i+1])
				}
			}
		})
	}
}

func TestPorterStemsWordsLongerThanItsBitSet(t *testing.T) {
	for _, c := range []struct{ stem, word, want string }{
		{strings.Repeat("b", 70), "eed", "eed"}, // no vowel before: nothing is removed
		{strings.Repeat("b", 70), "aied", "ai"}, // a vowel beyond
		{strings.Repeat("b", 70), "y", "y"},     // y behind consonants is a vowel, but no other stands before it
		{strings.Repeat("b", 70), "ayies", "ayi"},
		{strings.Repeat("ab", 35), "ement", ""},
		{strings.Repeat("y", 69), "yying", "i"},        // every second y is a vowel
		{strings.Repeat("b", 70), "abational", "abat"}, // a measure of one, beyond
	} {
		if got := string(porter([]byte(c.stem + c.word))); got != c.stem+c.want {
			t.Errorf("%d characters %.2s..., %s: the stem ends with %q instead of %q", len(c.stem), c.stem, c.word, strings.TrimPrefix(got, c.stem), c.want)
		}
	}
}
