package trec

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/ddx-rag/ddx/evaluation/metric"
	"github.com/ddx-rag/ddx/internal/lines"
	"github.com/ddx-rag/ddx/vectorstore"
)

// Ranking is what was found for one query, best first.
type Ranking struct {
	QueryID string
	Hits    []vectorstore.Hit
}

// Run is a run as a file gives it.
type Run struct {
	Rankings []Ranking // in the order in which the queries first appear; hits in the order of vectorstore.CompareHits
	Tag      string    // name of the run, from its first line
}

// ByQuery returns the rankings as metric.Evaluate takes them.
func (r *Run) ByQuery() metric.Run {
	m := make(metric.Run, len(r.Rankings))
	for _, ranking := range r.Rankings {
		m[ranking.QueryID] = ranking.Hits
	}
	return m
}

// ReadRun reads the run in a file; see ParseRun.
func ReadRun(path string) (*Run, error) { return readFile(path, ParseRun) }

// ParseRun reads a run in TREC's format, six columns separated by spaces or tabs: query, Q0, document, rank, score, tag. Lines may come
// in any order. As in trec_eval, hits are ordered by score and the rank is not looked at. A document that appears twice for a query is
// an error, as are a score that is not a finite number and a text without any line. Name stands for the text in error messages.
func ParseRun(name string, r io.Reader) (*Run, error) {
	l, err := lines.NewReader(name, r)
	if err != nil {
		return nil, err
	}
	run := &Run{}
	at := map[string]int{}      // index of a query's ranking
	var seen []map[string]int32 // line of each document, by ranking
	var line []byte
	current := -1
	for line, err = l.Next(); err == nil; line, err = l.Next() {
		var columns [6][]byte
		switch n := fields(line, columns[:]); {
		case n == 4:
			return nil, l.Errorf("4 columns are judgments; a run has 6 (query, Q0, document, rank, score, tag)")
		case n != 6:
			return nil, l.Errorf("found %d columns where a run has 6 (query, Q0, document, rank, score, tag)", n)
		}
		if current < 0 || run.Rankings[current].QueryID != string(columns[0]) {
			i, ok := at[string(columns[0])]
			if !ok {
				query := string(columns[0])
				i = len(run.Rankings)
				at[query] = i
				run.Rankings = append(run.Rankings, Ranking{QueryID: query})
				seen = append(seen, map[string]int32{})
			}
			current = i
		}
		ranking := &run.Rankings[current]
		hit := vectorstore.Hit{ID: string(columns[2])}
		if hit.Score, err = parseNumber(string(columns[4])); err != nil {
			return nil, l.Errorf("query %q, document %q: score %w", ranking.QueryID, hit.ID, err)
		}
		if earlier, ok := seen[current][hit.ID]; ok {
			return nil, l.Errorf("query %q: document %q stands on line %d already; keep one of them", ranking.QueryID, hit.ID, earlier)
		}
		seen[current][hit.ID] = int32(min(l.Number(), math.MaxInt32))
		ranking.Hits = append(ranking.Hits, hit)
		if run.Tag == "" {
			run.Tag = string(columns[5])
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(run.Rankings) == 0 {
		return nil, fmt.Errorf("%s: there is no hit in it", name)
	}
	for i := range run.Rankings {
		slices.SortFunc(run.Rankings[i].Hits, vectorstore.CompareHits)
	}
	return run, nil
}

// WriteRun writes rankings in TREC's format, in the order given; ranks count from 1, and a query without hits has no line. It returns an
// error, and may have written a part, if a query appears twice, if hits are not in the order of vectorstore.CompareHits or repeat
// a document, if a score is not finite, or if an id or the tag could not be read back (empty, with white space or control characters).
//
// Scores are written with the digits that bring back the same float64. trec_eval and metric.Evaluate compare scores as float32: hits
// whose scores agree to about seven digits are ties to both, and ordered by document id. The scores are left as they are all the same,
// because changing them would hide what the pipeline computed; both programs measure the file alike.
func WriteRun(w io.Writer, rankings []Ranking, tag string) error {
	if err := checkWord(tag); err != nil {
		return fmt.Errorf("the run's tag %q %w", tag, err)
	}
	out := bufio.NewWriter(w)
	queries := map[string]bool{}
	var line []byte
	for _, r := range rankings {
		if err := checkQuery(r, queries); err != nil {
			return err
		}
		queries[r.QueryID] = true
		for i, h := range r.Hits {
			line = append(append(line[:0], r.QueryID...), " Q0 "...)
			line = append(append(line, h.ID...), ' ')
			line = append(strconv.AppendInt(line, int64(i+1), 10), ' ')
			line = append(strconv.AppendFloat(line, h.Score, 'g', -1, 64), ' ')
			line = append(append(line, tag...), '\n')
			if _, err := out.Write(line); err != nil {
				return fmt.Errorf("writing a run: %w", err)
			}
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing a run: %w", err)
	}
	return nil
}

// checkQuery reports what would make one query of a run unreadable or read in another order.
func checkQuery(r Ranking, written map[string]bool) error {
	if err := checkWord(r.QueryID); err != nil {
		return fmt.Errorf("query id %q %w", r.QueryID, err)
	}
	if written[r.QueryID] {
		return fmt.Errorf("query %q: there are two rankings for it", r.QueryID)
	}
	seen := make(map[string]bool, len(r.Hits))
	for i, h := range r.Hits {
		if err := checkWord(h.ID); err != nil {
			return fmt.Errorf("query %q: document id %q %w", r.QueryID, h.ID, err)
		}
		switch {
		case math.IsNaN(h.Score) || math.IsInf(h.Score, 0):
			return fmt.Errorf("query %q, document %q: score %v is not a finite number", r.QueryID, h.ID, h.Score)
		case seen[h.ID]:
			return fmt.Errorf("query %q: document %q is ranked twice", r.QueryID, h.ID)
		case i > 0 && vectorstore.CompareHits(r.Hits[i-1], h) > 0:
			return fmt.Errorf("query %q: document %q (score %v) is ranked above %q (score %v); a run is ordered by score, equal scores by id descending",
				r.QueryID, r.Hits[i-1].ID, r.Hits[i-1].Score, h.ID, h.Score)
		}
		seen[h.ID] = true
	}
	return nil
}

// checkWord reports why a text cannot be one column of a run.
func checkWord(text string) error {
	switch {
	case text == "":
		return errors.New("is empty; a TREC run needs a word there")
	case strings.ContainsAny(text, lines.Space):
		return errors.New("contains white space, which separates columns in a TREC run; replace it in the dataset")
	case strings.ContainsFunc(text, unicode.IsControl):
		return errors.New("contains a control character, which a TREC run cannot hold; remove it in the dataset")
	case strings.HasPrefix(text, "\ufeff"), strings.HasPrefix(text, "\xff\xfe"), strings.HasPrefix(text, "\xfe\xff"):
		return errors.New("begins with a byte order mark; remove it in the dataset")
	}
	return nil
}
