package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/ddx-rag/ddx/evaluation/metric"
	"github.com/ddx-rag/ddx/evaluation/trec"
)

// judgments reads the judgments and returns the judged documents.
func (in *inspector) judgments(ctx context.Context) (map[string]bool, error) {
	name := in.d.file(in.d.options.QrelsFile)
	f, err := in.d.open(in.d.options.QrelsFile)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	content, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	j, err := trec.ParseQrels(name, bytes.NewReader(content))
	if err != nil {
		if j, err = in.looseJudgments(ctx, name, content, err); err != nil {
			return nil, err
		}
	}
	in.d.qrels = j.Qrels
	if j.Repeats > 0 {
		in.findings["judgments that repeat an earlier one"] = &Finding{What: "judgments that repeat an earlier one", Count: j.Repeats, Items: []string{}}
	}
	in.matchQueries()
	return in.countJudgments(), nil
}

// countJudgments fills the report and returns the judged documents.
func (in *inspector) countJudgments() map[string]bool {
	jr := &in.report.Judgments
	jr.Grades = map[int]int{}
	judged := map[string]bool{}
	positives := 0
	for _, id := range slices.Sorted(maps.Keys(in.d.qrels)) {
		n := 0
		for doc, grade := range in.d.qrels[id] {
			jr.Judgments++
			jr.Grades[grade]++
			if grade > 0 {
				n++
			}
			judged[doc] = true
		}
		positives += n
		jr.PositiveMax = max(jr.PositiveMax, n)
		if n == 0 {
			in.found(false, "judged queries without a relevant document", id)
		}
	}
	if len(in.d.qrels) > 0 {
		jr.PositiveMean = float64(positives) / float64(len(in.d.qrels))
	}
	return judged
}

// matchQueries sets queries and judgments side by side.
func (in *inspector) matchQueries() {
	for _, id := range slices.Sorted(maps.Keys(in.d.qrels)) {
		if _, ok := in.d.texts[id]; !ok {
			in.found(false, "judged queries without text", id)
		}
	}
	for _, q := range in.d.queries {
		if _, ok := in.d.qrels[q.ID]; ok {
			in.report.Queries.Judged++
		} else {
			in.found(false, "queries without judgments", q.ID)
		}
	}
	if len(in.d.queries) > 0 && len(in.d.qrels) > 0 && in.report.Queries.Judged == 0 {
		in.found(true, "no query has a judgment: the two files name queries differently", fmt.Sprintf("%q in %s, %q in %s", in.d.queries[0].ID,
			in.d.file(in.d.options.QueryFile), slices.Sorted(maps.Keys(in.d.qrels))[0], in.d.file(in.d.options.QrelsFile)))
	}
}

// atLine is the start of an error about one line.
var atLine = regexp.MustCompile(`^:[0-9]+: `)

// looseJudgments reads judgments that could not be read as a whole line by line, so that one that is wrong does not hide the others. Where grades
// contradict each other the first one counts.
func (in *inspector) looseJudgments(ctx context.Context, name string, content []byte, whole error) (*trec.Judgments, error) {
	j := &trec.Judgments{Qrels: metric.Qrels{}}
	const unusable = "judgments that cannot be used"
	if bytes.HasPrefix(content, []byte("\x1f\x8b")) {
		content = unzip(content)
	}
	if !atLine.MatchString(strings.TrimPrefix(whole.Error(), name)) {
		in.found(true, unusable, whole.Error())
		return j, nil
	}
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	firstLine := map[[2]string]int{}
	header := "" // of the formats that have one
	wrong := false
	number, blank := 0, true
	for line := range bytes.Lines(content) {
		if number++; number%256 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if blank && strings.HasPrefix(strings.ToLower(string(line)), "query-id") {
			header, blank = strings.TrimSpace(string(line))+"\n", false
			continue
		}
		blank = false
		one, err := trec.ParseQrels("", io.MultiReader(strings.NewReader(header), bytes.NewReader(line)))
		if err != nil {
			in.found(true, "lines that cannot be read", fmt.Sprintf("%s:%d: %s", name, number, atLine.ReplaceAllString(err.Error(), "")))
			wrong = true
			continue
		}
		for query, grades := range one.Qrels { // exactly one of each
			for document, grade := range grades {
				pair := [2]string{query, document}
				switch first, twice := firstLine[pair]; {
				case !twice:
					firstLine[pair] = number
					if j.Qrels[query] == nil {
						j.Qrels[query] = map[string]int{}
					}
					j.Qrels[query][document] = grade
				case j.Qrels[query][document] == grade:
					j.Repeats++
				default:
					in.found(true, "judgments that contradict each other", fmt.Sprintf("query %q, document %q: grade %d in line %d, grade %d in line %d",
						query, document, j.Qrels[query][document], first, grade, number))
					wrong = true
				}
			}
		}
	}
	if !wrong { // the lines are sound one by one, for example in different formats
		in.found(true, unusable, whole.Error())
	}
	return j, nil
}

// unzip returns as much of the text as there is.
func unzip(content []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil
	}
	text, _ := io.ReadAll(z) // the error has been found by who read the whole
	return text
}
