package trec_test

import (
	"fmt"
	"strings"

	"github.com/ddx-rag/ddx/evaluation/metric"
	"github.com/ddx-rag/ddx/evaluation/trec"
)

func Example() {
	judgments, err := trec.ParseQrels("qrels.jsonl", strings.NewReader(`{"q_id": "fever-and-rash", "p_id": "kawasaki", "score": 1}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err := trec.ParseRun("run.trec", strings.NewReader(`fever-and-rash Q0 measles 1 7.25 bm25
fever-and-rash Q0 kawasaki 2 3.5 bm25
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := metric.Evaluate(judgments.Qrels, run.ByQuery(), metric.Defaults())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s of %s: %.4f\n", report.Measures[0], run.Tag, report.Means[0])
	// Output: ndcg@10 of bm25: 0.6309
}

func ExampleParseQrels() {
	_, err := trec.ParseQrels("qrels.txt", strings.NewReader("q1 0 d1 2\nq1 0 d2 0\nq1 0 d1 1\n"))
	fmt.Println(err)
	// Output: qrels.txt:3: query "q1", document "d1": grade 1 here, but 2 on line 1; keep one of them
}
