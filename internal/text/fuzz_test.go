package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"github.com/ddx-rag/ddx/internal/text"
)

var seeds = []string{
	"IL-6 and TNF-α", "25-OH-D₃ 3.5mg Crohn’s 25(OH)D3 1,25-(OH)2-D3", "naïve nai\u0308ve", "日本語の症例 발열 ภาษาไทย", "👩‍⚕️ 🇺🇸 ® #️⃣", "a.b.c 1,2 x_y 'q's",
	"\xff\xfe\x00", "ﬁ ½ ℃ µ 10⁹", strings.Repeat("a", 600), strings.Repeat("é", 600), strings.Repeat("_", 300) + "a", "__ _a_ -1-", "IL-6-", "TNFαβ-5",
	"5-5-5-5-5-5-5-5-5-5-5-5-5-5-5", "10µg mcg 5㎍", "אב'1 א\"ב",
}

// scan returns the terms of a text after checking that what the scanner says of each token holds together.
func scan(t *testing.T, s *text.Scanner, sample string) (terms []string) {
	lastStart := 0
	for s.Reset(sample); s.Next(); {
		start, end := s.Span()
		if start < lastStart || end <= start || end > len(sample) {
			t.Fatalf("%q: span %d-%d after one that starts at %d", sample, start, end, lastStart)
		}
		if utf8.ValidString(sample) && !(utf8.RuneStart(sample[start]) && (end == len(sample) || utf8.RuneStart(sample[end]))) {
			t.Fatalf("%q: span %d-%d cuts a character", sample, start, end)
		}
		lastStart = start
		if len(s.Word()) == 0 || len(s.Term()) == 0 || !utf8.Valid(s.Word()) || !utf8.Valid(s.Term()) {
			t.Fatalf("%q: word %q, term %q", sample, s.Word(), s.Term())
		}
		terms = append(terms, string(s.Term()))
	}
	return terms
}

func fuzz(f *testing.F, name string, check func(t *testing.T, a *text.Analysis, sample string, terms []string)) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	a := analysis(f, name)
	f.Fuzz(func(t *testing.T, sample string) {
		s := a.NewScanner()
		terms := scan(t, s, sample)
		if diff := cmp.Diff(terms, scan(t, s, sample)); diff != "" {
			t.Fatalf("%q scanned twice: %s", sample, diff)
		}
		if diff := cmp.Diff(terms, a.Terms(sample)); diff != "" {
			t.Fatalf("%q scanned and Terms: %s", sample, diff)
		}
		if diff := cmp.Diff(terms, scan(t, s, " "+sample+"\n")); diff != "" {
			t.Fatalf("%q between white space: %s", sample, diff)
		}
		if ascii(sample) {
			if diff := cmp.Diff(terms, a.Terms(strings.ToUpper(sample))); diff != "" {
				t.Fatalf("%q in capitals: %s", sample, diff)
			}
		}
		check(t, a, sample, terms)
	})
}

func ascii(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

func FuzzLuceneEnglish(f *testing.F) {
	fuzz(f, text.LuceneEnglish, func(t *testing.T, a *text.Analysis, sample string, terms []string) {
		// Broken bytes are characters that no token holds, as if each were U+FFFD.
		if diff := cmp.Diff(terms, a.Terms(string([]rune(sample)))); diff != "" {
			t.Fatalf("%q with its broken bytes replaced: %s", sample, diff)
		}
	})
}

func FuzzMedicalEnglish(f *testing.F) {
	fuzz(f, text.MedicalEnglish, func(t *testing.T, a *text.Analysis, sample string, terms []string) {
		if !utf8.ValidString(sample) {
			return
		}
		if ascii(sample) {
			for _, field := range strings.FieldsFunc(sample, func(r rune) bool { return r <= ' ' }) {
				if diff := cmp.Diff(append([]string{"alpha"}, a.Terms(field)...), a.Terms("α/"+field)); diff != "" {
					t.Fatalf("%q in a stretch that is folded: %s", field, diff)
				}
			}
		}
		if diff := cmp.Diff(terms, a.Terms(norm.NFC.String(sample))); diff != "" {
			t.Fatalf("%q composed: %s", sample, diff)
		}
		if diff := cmp.Diff(terms, a.Terms(norm.NFD.String(sample))); diff != "" {
			t.Fatalf("%q decomposed: %s", sample, diff)
		}
		hyphens := strings.NewReplacer("-", "\u2011")
		if diff := cmp.Diff(terms, a.Terms(hyphens.Replace(sample))); diff != "" {
			t.Fatalf("%q with other hyphens: %s", sample, diff)
		}
	})
}
