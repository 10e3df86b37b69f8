package embedded_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"github.com/ddx-rag/ddx/internal/text"
	"github.com/ddx-rag/ddx/vectorstore"
	"github.com/ddx-rag/ddx/vectorstore/embedded"
)

// few are documents whose index is small enough to be damaged in every place.
var few = []vectorstore.Document{
	{ID: "a", Text: "fever and cough, fever"},
	{ID: "b", Title: "Rash", Text: "feverish"},
	{ID: "c"},
	{ID: "d", Text: "coughing rash"},
}

// sealed gives changed content the checksum that fits.
func sealed(content []byte) []byte {
	if len(content) >= 16 {
		binary.LittleEndian.PutUint32(content[12:], crc32.Checksum(content[16:], crc32.MakeTable(crc32.Castagnoli)))
	}
	return content
}

// use opens an index file that may hold anything and, where that succeeds, uses all of it.
func use(t testing.TB, path string, content []byte) error {
	t.Helper()
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	x, err := embedded.Open(path, analysis(t, text.LuceneEnglish))
	if err != nil {
		if !errors.Is(err, embedded.ErrDamaged) {
			t.Errorf("the error does not tell that the file is damaged: %v", err)
		}
		return err
	}
	for _, variant := range []vectorstore.Variant{vectorstore.R2MED, vectorstore.Lucene} {
		q := vectorstore.TextQuery{Text: "fever cough cough rash unknown", Depth: 2, BM25: vectorstore.BM25{Variant: variant, K1: 0.9, B: 0.4}, Exclude: []string{"d"}}
		if _, err := x.SearchText(t.Context(), q); err != nil {
			t.Error(err)
		}
		for _, d := range few {
			x.Has(d.ID)
			x.Explain(q.BM25, q.Text, d.ID)
		}
	}
	return x.Close()
}

func TestDamageIsNoticed(t *testing.T) {
	content := built(t, few, 1)
	path := filepath.Join(t.TempDir(), "index")
	if err := use(t, path, content); err != nil {
		t.Fatalf("the undamaged file: %v", err)
	}
	for length := range len(content) {
		if use(t, path, content[:length]) == nil {
			t.Errorf("%d bytes of %d are taken for an index", length, len(content))
		}
	}
	for i := range content {
		changed := append([]byte{}, content...)
		changed[i] ^= 0x10
		if use(t, path, changed) == nil {
			t.Errorf("a change of byte %d is not noticed", i)
		}
	}
	if use(t, path, append(append([]byte{}, content...), 0)) == nil {
		t.Error("an added byte is not noticed")
	}
}

// A checksum can be right by design or by chance: whatever the file says must lead to an error or to some answer, never out of its bounds.
func TestNoContentBreaksASearch(t *testing.T) {
	content := built(t, few, 1)
	path := filepath.Join(t.TempDir(), "index")
	opened := 0
	for i := 16; i < len(content); i++ {
		for _, b := range []byte{0xff, content[i] + 1, content[i] - 1} {
			changed := append([]byte{}, content...)
			changed[i] = b
			if use(t, path, sealed(changed)) == nil {
				opened++
			}
		}
	}
	if opened == 0 {
		t.Error("no changed file could be opened: the test does not reach searches")
	}
}

func TestAnotherVersionIsNoticed(t *testing.T) {
	content := built(t, few, 1)
	binary.LittleEndian.PutUint32(content[8:], 99)
	if err := use(t, filepath.Join(t.TempDir(), "index"), content); err == nil {
		t.Error("version 99 is opened")
	}
}

func TestAFileThatIsNotThereIsNotDamaged(t *testing.T) {
	_, err := embedded.Open(filepath.Join(t.TempDir(), "index"), analysis(t, text.LuceneEnglish))
	if !errors.Is(err, os.ErrNotExist) || errors.Is(err, embedded.ErrDamaged) {
		t.Errorf("the error is: %v", err)
	}
}

// FuzzOpen overwrites parts of an index, and seals it.
func FuzzOpen(f *testing.F) {
	content := built(f, few, 1)
	f.Add(uint32(0), []byte("ddx"), uint32(len(content)))
	f.Add(uint32(16), []byte{255, 255, 255, 255, 255, 255, 255, 127}, uint32(len(content)))
	f.Add(uint32(64), []byte{8, 0, 0, 0, 0, 0, 0, 0, 255, 255}, uint32(400))
	path := filepath.Join(f.TempDir(), fmt.Sprint("index", os.Getpid()))
	f.Fuzz(func(t *testing.T, at uint32, with []byte, length uint32) {
		changed := append([]byte{}, content...)
		copy(changed[int(at)%len(changed):], with)
		_ = use(t, path, sealed(changed[:min(int(length), len(changed))]))
	})
}
