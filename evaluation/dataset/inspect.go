package dataset

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ddx-rag/ddx/internal/jsonl"
)

// inspector collects counts and findings.
type inspector struct {
	d        *Dataset
	report   *Report
	findings map[string]*Finding
}

// Inspect reads all files of a dataset and reports what is in them. Unlike Open it goes on where entries contradict each other, and lists them
// all; lines that cannot be read are passed over and listed too. Only a file that is missing or no text at all is an error.
func Inspect(ctx context.Context, fsys fs.FS, o Options) (*Report, error) {
	in := &inspector{
		d:        newDataset(fsys, o),
		report:   &Report{Name: o.Name, Recorded: []RecordingReport{}, Findings: []Finding{}},
		findings: map[string]*Finding{},
	}
	if err := in.hash(ctx); err != nil {
		return nil, err
	}
	if err := in.queries(ctx); err != nil {
		return nil, err
	}
	judged, err := in.judgments(ctx)
	if err != nil {
		return nil, err
	}
	if err := in.corpus(ctx, judged); err != nil {
		return nil, err
	}
	if err := in.recorded(ctx); err != nil {
		return nil, err
	}
	for _, what := range slices.Sorted(maps.Keys(in.findings)) {
		in.report.Findings = append(in.report.Findings, *in.findings[what])
	}
	slices.SortStableFunc(in.report.Findings, func(a, b Finding) int { // conflicts first
		switch {
		case a.Conflict && !b.Conflict:
			return -1
		case b.Conflict && !a.Conflict:
			return 1
		}
		return 0
	})
	return in.report, nil
}

func (in *inspector) found(conflict bool, what, item string) {
	f := in.findings[what]
	if f == nil {
		f = &Finding{What: what, Conflict: conflict}
		in.findings[what] = f
	}
	f.Count++
	f.Items = append(f.Items, item)
}

func (in *inspector) hash(ctx context.Context) error {
	var hashes []string
	for _, name := range in.d.files() {
		h, err := in.d.hashFile(ctx, name)
		if err != nil {
			return err
		}
		hashes = append(hashes, h)
	}
	in.report.CorpusHash, in.report.Hash = hashes[0], combine(hashes)
	return nil
}

// eachLine calls f for every line of a file and lists those that cannot be read. It returns how many lines there are.
func (in *inspector) eachLine(ctx context.Context, name string, keys []string, f func(*jsonl.Reader) error) (int, error) {
	return in.d.eachGoodLine(ctx, name, keys, f, in.unreadable)
}

func (in *inspector) unreadable(err error) error {
	in.found(true, "lines that cannot be read", err.Error())
	return nil
}

func (in *inspector) queries(ctx context.Context) error {
	q := &in.report.Queries
	var words, characters measured
	type place struct{ index, line int }
	seen := map[string]place{}
	name := in.d.options.QueryFile
	lines, err := in.eachLine(ctx, name, queryKeys, func(r *jsonl.Reader) error {
		query, err := parseQuery(r)
		if err != nil {
			return err
		}
		if first, twice := seen[query.ID]; twice {
			item := fmt.Sprintf("%s (lines %d and %d)", query.ID, first.line, r.Line())
			switch earlier := in.d.queries[first.index]; {
			case earlier.Text != query.Text:
				in.found(true, "queries that stand twice with different texts", item)
			case !sameExcluded(earlier, query):
				in.found(true, "queries that stand twice with different excluded documents", item)
			default:
				in.found(false, "queries that stand twice with one text", item)
			}
			return nil
		}
		seen[query.ID] = place{len(in.d.queries), r.Line()}
		in.d.texts[query.ID] = query.Text
		in.d.queries = append(in.d.queries, query)
		q.Excluded += len(query.Exclude)
		words.add(len(strings.Fields(query.Text)), query.ID)
		characters.add(utf8.RuneCountInString(query.Text), query.ID)
		if strings.TrimSpace(query.Text) == "" {
			in.found(false, "queries without text", query.ID)
		}
		return nil
	})
	if err == nil && len(in.d.queries) == 0 {
		in.found(true, "files without any entry", in.d.file(name))
	}
	q.Lines, q.Queries, q.Words, q.Characters = lines, len(in.d.queries), words.lengths(), characters.lengths()
	return err
}

// textKey stands for a document's title and text within one inspection, so that they need not be kept: two hashes of 64 bits.
type textKey [2]uint64

func (in *inspector) corpus(ctx context.Context, judged map[string]bool) error {
	type document struct {
		line int
		key  textKey
	}
	c := &in.report.Corpus
	docs := map[string]document{}
	groups := map[textKey][]string{} // ids by text
	var words, characters measured
	seeds := [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	lines, err := in.eachLine(ctx, in.d.corpus, documentKeys, func(r *jsonl.Reader) error {
		doc, err := parseDocument(r)
		if err != nil {
			return err
		}
		content := [2]string{doc.Title, doc.Text}
		key := textKey{maphash.Comparable(seeds[0], content), maphash.Comparable(seeds[1], content)}
		if first, twice := docs[doc.ID]; twice {
			item := fmt.Sprintf("%s (lines %d and %d)", doc.ID, first.line, r.Line())
			if first.key == key {
				in.found(false, "documents that stand twice with one text", item)
			} else {
				in.found(true, "documents that stand twice with different texts", item)
			}
			return nil
		}
		docs[doc.ID] = document{r.Line(), key}
		text := doc.SearchableText()
		words.add(countWords(text), doc.ID)
		characters.add(utf8.RuneCountInString(text), doc.ID)
		if strings.TrimSpace(text) == "" {
			in.found(false, "documents without text", doc.ID)
		} else {
			groups[key] = append(groups[key], doc.ID)
		}
		if _, ok := in.d.texts[doc.ID]; ok {
			in.found(false, "ids that a query and a document share", doc.ID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.Lines, c.Documents, c.Words, c.Characters = lines, len(docs), words.lengths(), characters.lengths()
	if len(docs) == 0 {
		in.found(true, "files without any entry", in.d.file(in.d.corpus))
	}
	in.duplicates(groups, judged)
	for _, id := range slices.Sorted(maps.Keys(judged)) {
		if _, ok := docs[id]; !ok {
			in.found(false, "judged documents that are not in the corpus", id)
		}
	}
	for _, q := range in.d.queries {
		for _, id := range q.Exclude {
			if _, ok := docs[id]; !ok {
				in.found(false, "excluded documents that are not in the corpus", q.ID+": "+id)
			}
			if in.d.qrels[q.ID][id] > 0 {
				in.found(false, "relevant documents that are excluded for their query", q.ID+": "+id)
			}
		}
	}
	return nil
}

// duplicates counts and lists the texts that stand under several ids, in the order of their first ids.
func (in *inspector) duplicates(groups map[textKey][]string, judged map[string]bool) {
	c := &in.report.Corpus
	var several [][]string
	for _, ids := range groups {
		if len(ids) > 1 {
			several = append(several, ids)
		}
	}
	slices.SortFunc(several, func(a, b []string) int { return cmp.Compare(a[0], b[0]) })
	for _, ids := range several {
		c.DuplicateGroups++
		c.DuplicateDocuments += len(ids) - 1
		marked := make([]string, len(ids))
		counted := false
		for i, id := range ids {
			if marked[i] = id; judged[id] {
				marked[i], counted = id+" (judged)", true
			}
		}
		if counted {
			c.DuplicatesJudged++
		}
		in.found(false, "texts that stand under several ids", strings.Join(marked, ", "))
	}
}

// countWords counts what stands between white space, without keeping it.
func countWords(s string) int {
	n, inside := 0, false
	for _, r := range s {
		space := unicode.IsSpace(r)
		if !space && !inside {
			n++
		}
		inside = !space
	}
	return n
}
