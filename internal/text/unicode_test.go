package text

import (
	"testing"
	"unicode"

	"github.com/clipperhouse/uax29/v2/words"
)

func segments(s string) int {
	n := 0
	for it := words.FromString(s); it.Next(); {
		n++
	}
	return n
}

// A zero-width joiner is not parted from a pictograph behind it, and from nothing else that the segmenter would part: so the segmenter
// shows which code points it takes for pictographs. The table is that of Unicode 12.1, which Lucene 9 uses; later versions took some out.
func TestPictographsOfTheSegmenterAreInTheTable(t *testing.T) {
	differ := 0
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if r >= 0xD800 && r <= 0xDFFF {
			continue
		}
		whole := segments("\u200d"+string(r)) == 1 && segments("a"+string(r)) == 2 // what joins a letter as well is a mark
		if whole && !unicode.Is(extendedPictographic, r) {
			differ++
			t.Errorf("U+%04X is a pictograph to the segmenter, but not in the table", r)
		}
		if differ > 20 {
			t.Fatal("and more")
		}
	}
}
