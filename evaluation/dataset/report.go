package dataset

import (
	"math"
	"slices"
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
	Lines      int     `json:"lines"`     // that are not blank, readable or not
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
	Lines   int    `json:"lines"`
	Answers int    `json:"answers"` // distinct queries with an answer
	Missing int    `json:"missing"` // queries without an answer
	Empty   int    `json:"empty"`   // blank answers
	Changed int    `json:"changed"` // answers to another wording of the query
	Unknown int    `json:"unknown"` // answers to queries that the dataset does not have
}

// Lengths describes how long texts are, in words (what stands between white space) or characters. Median and P95 are lengths that occur: the
// smallest that at least 50 or 95 percent of the texts do not exceed.
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
