package trec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/ddx-rag/ddx/evaluation/metric"
	"github.com/ddx-rag/ddx/internal/lines"
)

// Judgments are relevance judgments as a file gives them.
type Judgments struct {
	Qrels   metric.Qrels
	Queries []string // query ids in the order in which they first appear
	Repeats int      // lines that repeat an earlier judgment with the same grade; they count once
}

// ReadQrels reads the judgments in a file; see ParseQrels.
func ReadQrels(path string) (*Judgments, error) { return readFile(path, ParseQrels) }

// ParseQrels reads judgments in one of three formats, told apart by the first line:
//
//	q1 0 d7 2                                  TREC: query, anything, document, grade; separated by spaces or tabs
//	{"q_id": "q1", "p_id": "d7", "score": 2}   JSON lines, as in R2MED; other keys are passed over
//	query-id<TAB>corpus-id<TAB>score           BEIR: this line, then three columns separated by tabs
//
// Grades are whole numbers. Ids are text and kept letter for letter; in JSON they may be numbers, whose digits are kept as written, so
// that 007 in one file and 7 in another stay two ids, and long numbers are not rounded. Name stands for the text in error messages.
// A judgment that contradicts an earlier one is an error, as is a text without any judgment.
func ParseQrels(name string, r io.Reader) (*Judgments, error) {
	l, err := lines.NewReader(name, r)
	if err != nil {
		return nil, err
	}
	first, err := l.Next()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: there is no judgment in it", name)
	}
	if err != nil {
		return nil, err
	}
	c := collector{lines: l, first: map[string]map[string]int{}, out: &Judgments{Qrels: metric.Qrels{}}}
	parse, line := trecJudgment, first
	switch {
	case first[0] == '{':
		parse = jsonJudgments()
	case isBEIRHeader(first):
		parse = beirJudgment
		line, err = l.Next()
	}
	for ; err == nil; line, err = l.Next() {
		j, err := parse(line)
		if err != nil {
			return nil, l.Errorf("%w", err)
		}
		if err := c.add(j); err != nil {
			return nil, err
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(c.out.Queries) == 0 {
		return nil, fmt.Errorf("%s: there is no judgment in it", name)
	}
	return c.out, nil
}

// judgment is one line.
type judgment struct {
	query, document string
	grade           int
}

// collector gathers judgments and finds those that repeat or contradict one another.
type collector struct {
	lines *lines.Reader
	first map[string]map[string]int // the line on which a pair was first judged
	out   *Judgments
}

func (c *collector) add(j judgment) error {
	grades := c.out.Qrels[j.query]
	if grades == nil {
		grades = map[string]int{}
		c.out.Qrels[j.query], c.first[j.query] = grades, map[string]int{}
		c.out.Queries = append(c.out.Queries, j.query)
	}
	earlier, repeated := grades[j.document]
	switch {
	case !repeated:
		grades[j.document], c.first[j.query][j.document] = j.grade, c.lines.Number()
	case earlier == j.grade:
		c.out.Repeats++
	default:
		return c.lines.Errorf("query %q, document %q: grade %d here, but %d on line %d; keep one of them",
			j.query, j.document, j.grade, earlier, c.first[j.query][j.document])
	}
	return nil
}

func trecJudgment(line []byte) (judgment, error) {
	var columns [4][]byte
	switch n := fields(line, columns[:]); {
	case n == 6:
		return judgment{}, errors.New("6 columns are a run; judgments have 4 (query, 0, document, grade)")
	case n != 4:
		return judgment{}, fmt.Errorf("found %d columns where TREC judgments have 4 (query, 0, document, grade)", n)
	}
	grade, err := parseGrade(string(columns[3]))
	if err != nil {
		return judgment{}, err
	}
	return judgment{string(columns[0]), string(columns[2]), grade}, nil
}

// isBEIRHeader tells the first line of a judgments file of BEIR.
func isBEIRHeader(line []byte) bool {
	return strings.EqualFold(string(bytes.Join(bytes.Fields(line), []byte(" "))), "query-id corpus-id score")
}

func beirJudgment(line []byte) (judgment, error) {
	columns := bytes.Split(line, []byte("\t"))
	if len(columns) != 3 {
		return judgment{}, fmt.Errorf("found %d columns where BEIR judgments have 3, separated by tabs (query-id, corpus-id, score)", len(columns))
	}
	for i := range columns {
		columns[i] = bytes.Trim(columns[i], lines.Space)
		if len(columns[i]) == 0 {
			return judgment{}, fmt.Errorf("column %d is empty", i+1)
		}
	}
	grade, err := parseGrade(string(columns[2]))
	if err != nil {
		return judgment{}, err
	}
	return judgment{string(columns[0]), string(columns[1]), grade}, nil
}

// parseGrade reads a whole number that fits in 32 bits. 1.0 is read as 1: that is how data frames write grades.
func parseGrade(text string) (int, error) {
	if g, err := strconv.ParseInt(text, 10, 32); err == nil {
		return int(g), nil
	}
	f, err := parseNumber(text)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > math.MaxInt32 {
		return 0, fmt.Errorf("grade %q is not a whole number", text)
	}
	return int(f), nil
}

// parseNumber reads a finite decimal number, and neither the hexadecimal ones nor the words that strconv takes too.
func parseNumber(text string) (float64, error) {
	f, err := strconv.ParseFloat(text, 64)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, fmt.Errorf("%q is not a finite number", text)
	}
	if err != nil || strings.ContainsAny(text, "xX_pP") {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return f, nil
}
