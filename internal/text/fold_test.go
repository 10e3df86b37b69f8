package text

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func TestFoldingEveryCharacterIsStableAndKnowsNoForms(t *testing.T) {
	var f folder
	fold := func(s string) string { return string([]byte(f.fold(s))) }
	differ := 0
	for r := rune(1); r <= unicode.MaxRune && differ < 20; r++ {
		if !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cf) {
			continue
		}
		if unicode.In(r, unicode.Han, unicode.Hangul, unicode.Tangut) && r%64 != 0 && norm.NFKD.PropertiesString(string(r)).Decomposition() == nil {
			continue // of a great many alike
		}
		s := "a" + string(r) + "b1" + string(r) + string(r)
		once := fold(s)
		if again := fold(once); again != once {
			differ++
			t.Errorf("%U: %q, folded again %q", r, once, again)
		}
		if composed, decomposed := fold(norm.NFC.String(s)), fold(norm.NFD.String(s)); composed != once || decomposed != once {
			differ++
			t.Errorf("%U: %q, composed %q, decomposed %q", r, once, composed, decomposed)
		}
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"TNFα β2 γδ NF-κB", "10⁹/L 25(OH)D₃ min⁻¹", "μg µM ㎍ μ-opioid μF", "ά καρδιά ΑΒΓ", "½ 1½ ①²", "\xffα\xf0\x9f", "e\u0301\u0328\u00adα\u200bg", "한글 が"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var f folder
		once := string([]byte(f.fold(s)))
		last := origin{}
		for i, o := range f.origins {
			if o.start < last.start || o.end < last.end || o.end <= o.start || o.end > len(s) {
				t.Fatalf("%q: byte %d of %q comes from %v, after %v", s, i, once, o, last)
			}
			last = o
		}
		if len(f.origins) != len(once) || !utf8.ValidString(once) {
			t.Fatalf("%q: %d origins of %q", s, len(f.origins), once)
		}
		if again := string([]byte(f.fold(once))); again != once {
			t.Fatalf("%q: %q, folded again %q", s, once, again)
		}
		if utf8.ValidString(s) {
			if decomposed := string([]byte(f.fold(norm.NFD.String(s)))); decomposed != once {
				t.Fatalf("%q: %q, decomposed %q", s, once, decomposed)
			}
		}
	})
}
