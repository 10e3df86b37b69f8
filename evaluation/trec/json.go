package trec

import (
	"fmt"

	"github.com/ddx-rag/ddx/internal/jsonl"
)

// jsonKeys are the keys of R2MED's judgments: query, passage, grade.
var jsonKeys = []string{"q_id", "p_id", "score"}

// jsonJudgments returns a parser of R2MED's judgments: {"q_id": ..., "p_id": ..., "score": ...}.
func jsonJudgments() func(line []byte) (judgment, error) {
	o := jsonl.NewObject(jsonKeys...)
	return func(line []byte) (judgment, error) {
		if err := o.Parse(line); err != nil {
			return judgment{}, err
		}
		for i, key := range jsonKeys {
			if o.Raw(i) == nil {
				return judgment{}, fmt.Errorf("%q is missing; judgments have the keys %q", key, jsonKeys)
			}
		}
		query, err := o.ID(0)
		if err != nil {
			return judgment{}, err
		}
		document, err := o.ID(1)
		if err != nil {
			return judgment{}, err
		}
		grade, err := parseGrade(string(o.Raw(2)))
		return judgment{query, document, grade}, err
	}
}
