package table_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddx-rag/ddx/internal/table"
)

func ExampleTable() {
	t := table.New("", table.Column{Title: "pipeline"}, table.Column{Title: "ndcg@10", Align: table.Right})
	t.Row("bm25", "0.0536")
	t.Row("hyde", "0.4569")
	if _, err := t.WriteTo(os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// pipeline  ndcg@10
	// bm25       0.0536
	// hyde       0.4569
}

func TestColumnsAlignByCharactersNotBytes(t *testing.T) {
	tab := table.New("  ", table.Column{}, table.Column{Align: table.Right}, table.Column{})
	tab.Row("naïve", "1")
	tab.Row("β", "10", "end")
	tab.Row("short")
	tab.Row("a", "2", "", "beyond the last column")
	var b strings.Builder
	if _, err := tab.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	want := "  naïve   1\n  β      10  end\n  short\n  a       2       beyond the last column\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
