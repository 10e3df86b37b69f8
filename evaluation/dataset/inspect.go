package dataset

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ddx-rag/ddx/evaluation/trec"
	"github.com/ddx-rag/ddx/internal/jsonl"
)

// Report is what Inspect finds in a dataset's files. Counts come from the data itself.
type Report struct {
	Name       string `json:"name"`
	Hash       string `json:"hash"`
	CorpusHash string `json:"corpus_hash"`

	Corpus    CorpusReport      `json:"corpus"`
	Queries   QueryReport       `json:"queries"`
	Judgments JudgmentReport    `json:"judgments"`
	Recorded  []RecordingReport `json:"recorded"`
	Findings  []Finding         `json:"findings"` // what is odd or wrong
}

// CorpusReport counts documents.
type CorpusReport struct {
	Lines      int     `json:"lines"`
	Documents  int     `json:"documents"` // distinct ids
	Words      Lengths `json:"words"`
	Characters Lengths `json:"characters"`
	// DuplicateGroups counts texts that stand under several ids, DuplicateDocuments the ids beyond the first of each, and DuplicatesJudged the groups
	// with a judged document.
	DuplicateGroups    int `json:"duplicate_groups"`
	DuplicateDocuments int `json:"duplicate_documents"`
	DuplicatesJudged   int `json:"duplicates_judged"`
}

// QueryReport counts queries.
type QueryReport struct {
	Lines      int     `json:"lines"`
	Queries    int     `json:"queries"` // distinct ids
	Judged     int     `json:"judged"`  // those with a judgment
	Words      Lengths `json:"words"`
	Characters Lengths `json:"characters"`
	Excluded   int     `json:"excluded"` // pairs of a query and a document that must not be returned for it
}

// JudgmentReport counts judgments.
type JudgmentReport struct {
	Judgments    int         `json:"judgments"` // distinct pairs
	Grades       map[int]int `json:"grades"`
	PositiveMean float64     `json:"positive_mean"` // judgments above 0 a judged query
	PositiveMax  int         `json:"positive_max"`
}

// RecordingReport counts the recorded answers of one method and model.
type RecordingReport struct {
	Method  string `json:"method"`
	Model   string `json:"model"`
	Answers int    `json:"answers"`
	Missing int    `json:"missing"` // queries without an answer
	Empty   int    `json:"empty"`   // blank answers
	Changed int    `json:"changed"` // answers to another wording of the query
}

// Lengths describes how long texts are.
type Lengths struct {
	Mean      float64 `json:"mean"`
	Median    int     `json:"median"`
	P95       int     `json:"p95"`
	Max       int     `json:"max"`
	LongestID string  `json:"longest_id"`
}

// Finding is one kind of oddity with its offenders.
type Finding struct {
	What     string   `json:"what"`
	Conflict bool     `json:"conflict"` // entries contradict each other: the dataset cannot be used as it is
	Count    int      `json:"count"`
	Items    []string `json:"items"` // ids or file:line
}

// Conflicts counts the findings that keep the dataset from being used.
func (r *Report) Conflicts() int {
	n := 0
	for _, f := range r.Findings {
		if f.Conflict {
			n++
		}
	}
	return n
}

// inspector collects counts and findings.
type inspector struct {
	d        *Dataset
	report   *Report
	findings map[string]*Finding
}

// Inspect reads all files of a dataset and reports what is in them. Unlike Open it goes on where entries contradict each other, and lists them all;
// a line that is not JSON stops it.
func Inspect(ctx context.Context, fsys fs.FS, o Options) (*Report, error) {
	o.QueryFile = cmp.Or(o.QueryFile, DefaultQueryFile)
	o.QrelsFile = cmp.Or(o.QrelsFile, DefaultQrelsFile)
	in := &inspector{
		d:        &Dataset{fsys: fsys, options: o, recordings: map[string]*recording{}, texts: map[string]string{}},
		report:   &Report{Name: o.Name, Recorded: []RecordingReport{}, Findings: []Finding{}},
		findings: map[string]*Finding{},
	}
	if err := in.hash(ctx); err != nil {
		return nil, err
	}
	if err := in.queries(); err != nil {
		return nil, err
	}
	judged, err := in.judgments()
	if err != nil {
		return nil, err
	}
	if err := in.corpus(ctx, judged); err != nil {
		return nil, err
	}
	in.recorded()
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
	for _, name := range []string{CorpusFile, in.d.options.QueryFile, in.d.options.QrelsFile} {
		h, err := in.d.hashFile(ctx, name)
		if err != nil {
			return err
		}
		hashes = append(hashes, h)
	}
	in.report.CorpusHash, in.report.Hash = hashes[0], combine(hashes)
	return nil
}

func (in *inspector) queries() error {
	q := &in.report.Queries
	var words, characters measured
	lines := map[string]int{}
	name := in.d.options.QueryFile
	err := in.d.eachLine(name, []string{"id", "text", "excluded_ids"}, func(r *jsonl.Reader) error {
		query, err := parseQuery(r)
		if err != nil {
			return err
		}
		q.Lines++
		if first, twice := lines[query.ID]; twice {
			same := in.d.texts[query.ID] == query.Text
			item := fmt.Sprintf("%s (lines %d and %d)", query.ID, first, r.Line())
			if same {
				in.found(false, "queries that stand twice with one text", item)
			} else {
				in.found(true, "queries that stand twice with different texts", item)
			}
			return nil
		}
		lines[query.ID] = r.Line()
		in.d.texts[query.ID] = query.Text
		in.d.queries = append(in.d.queries, query)
		q.Excluded += len(query.Exclude)
		words.add(len(strings.Fields(query.Text)), query.ID)
		characters.add(utf8.RuneCountInString(query.Text), query.ID)
		in.checkID("query", query.ID)
		if strings.TrimSpace(query.Text) == "" {
			in.found(false, "queries without text", query.ID)
		}
		return nil
	})
	q.Queries, q.Words, q.Characters = len(in.d.queries), words.lengths(), characters.lengths()
	return err
}

func (in *inspector) checkID(what, id string) {
	if strings.ContainsFunc(id, unicode.IsSpace) {
		in.found(false, what+" ids with white space, which a TREC run cannot hold", fmt.Sprintf("%q", id))
	}
}

// judgments reads the judgments and returns the judged documents, each with the queries that it is judged for.
func (in *inspector) judgments() (map[string][]string, error) {
	content, err := fs.ReadFile(in.d.fsys, in.d.options.QrelsFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.d.file(in.d.options.QrelsFile), err)
	}
	j, err := trec.ParseQrels(in.d.file(in.d.options.QrelsFile), bytes.NewReader(content))
	if err != nil { // judgments that contradict each other are the usual cause, and the rest is worth seeing all the same
		in.found(true, "judgments that cannot be used", err.Error())
		j = &trec.Judgments{}
	}
	in.d.qrels = j.Qrels
	jr := &in.report.Judgments
	jr.Grades = map[int]int{}
	judged := map[string][]string{}
	positives := 0
	for _, id := range slices.Sorted(maps.Keys(j.Qrels)) {
		if _, ok := in.d.texts[id]; !ok {
			in.found(false, "judged queries without text", id)
		}
		n := 0
		for doc, grade := range j.Qrels[id] {
			jr.Judgments++
			jr.Grades[grade]++
			if grade > 0 {
				n++
			}
			judged[doc] = append(judged[doc], id)
		}
		positives += n
		jr.PositiveMax = max(jr.PositiveMax, n)
		if n == 0 {
			in.found(false, "judged queries without a relevant document", id)
		}
	}
	if len(j.Qrels) > 0 {
		jr.PositiveMean = float64(positives) / float64(len(j.Qrels))
	}
	for _, q := range in.d.queries {
		if _, ok := j.Qrels[q.ID]; ok {
			in.report.Queries.Judged++
		} else {
			in.found(false, "queries without judgments", q.ID)
		}
	}
	if j.Repeats > 0 {
		in.findings["judgments that repeat an earlier one"] = &Finding{What: "judgments that repeat an earlier one", Count: j.Repeats, Items: []string{}}
	}
	return judged, nil
}

// textKey stands for a text, so that texts need not be kept.
type textKey [16]byte

func keyOf(title, text string) textKey {
	h := sha256.New()
	_, _ = io.WriteString(h, title) // a hash never fails
	_, _ = h.Write([]byte{0})       // likewise
	_, _ = io.WriteString(h, text)  // likewise
	return textKey(h.Sum(nil)[:16])
}

func (in *inspector) corpus(ctx context.Context, judged map[string][]string) error {
	type document struct {
		line int
		key  textKey
	}
	c := &in.report.Corpus
	docs := map[string]document{}
	groups := map[textKey][]string{} // ids by text
	var words, characters measured
	err := in.d.eachLine(CorpusFile, documentKeys, func(r *jsonl.Reader) error {
		if c.Lines++; c.Lines%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		doc, err := parseDocument(r)
		if err != nil {
			return err
		}
		key := keyOf(doc.Title, doc.Text)
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
		in.checkID("document", doc.ID)
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
	c.Documents, c.Words, c.Characters = len(docs), words.lengths(), characters.lengths()
	for _, ids := range groups {
		if len(ids) < 2 {
			continue
		}
		c.DuplicateGroups++
		c.DuplicateDocuments += len(ids) - 1
		if slices.ContainsFunc(ids, func(id string) bool { return judged[id] != nil }) {
			c.DuplicatesJudged++
		}
	}
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
		}
	}
	return nil
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

func (in *inspector) recorded() {
	for _, r := range in.d.Recorded() {
		rec := in.d.recording(r.File)
		if rec.err != nil {
			in.found(true, "recorded answers that cannot be read", rec.err.Error())
			continue
		}
		out := RecordingReport{Method: r.Method, Model: r.Model, Answers: len(rec.answers), Changed: rec.changed}
		for _, q := range in.d.queries {
			answer, ok := rec.answers[q.ID]
			switch {
			case !ok:
				out.Missing++
			case strings.TrimSpace(answer) == "":
				out.Empty++
			}
		}
		in.report.Recorded = append(in.report.Recorded, out)
	}
}

// measured collects lengths.
type measured struct {
	values  []int
	longest string
	max     int
}

func (m *measured) add(n int, id string) {
	if len(m.values) == 0 || n > m.max {
		m.max, m.longest = n, id
	}
	m.values = append(m.values, n)
}

func (m *measured) lengths() Lengths {
	if len(m.values) == 0 {
		return Lengths{}
	}
	slices.Sort(m.values)
	sum := 0
	for _, v := range m.values {
		sum += v
	}
	at := func(share float64) int { return m.values[int(math.Ceil(share*float64(len(m.values))))-1] }
	return Lengths{
		Mean: float64(sum) / float64(len(m.values)), Median: at(0.5), P95: at(0.95), Max: m.max, LongestID: m.longest,
	}
}
