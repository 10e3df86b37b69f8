package metric_test

import (
	"fmt"

	"github.com/ddx-rag/ddx/evaluation/metric"
	"github.com/ddx-rag/ddx/vectorstore"
)

func ExampleEvaluate() {
	qrels := metric.Qrels{
		"fever-and-rash": {"kawasaki": 2, "measles": 1},
		"chest-pain":     {"pericarditis": 1},
	}
	run := metric.Run{
		"fever-and-rash": []vectorstore.Hit{{ID: "measles", Score: 7.1}, {ID: "kawasaki", Score: 6.4}},
	}
	report, err := metric.Evaluate(qrels, run, metric.Defaults())
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, m := range report.Measures {
		fmt.Printf("%-10s %.4f\n", m, report.Means[i])
	}
	fmt.Println("without results:", report.Missing)
	// Output:
	// ndcg@10    0.4299
	// recall@100 0.5000
	// map@100    0.5000
	// mrr        0.5000
	// without results: [chest-pain]
}

func ExampleParse() {
	m, err := metric.Parse("ndcg_cut_10")
	fmt.Println(m, m.TrecName(), err)
	_, err = metric.Parse("recal@100")
	fmt.Println(err)
	// Output:
	// ndcg@10 ndcg_cut_10 <nil>
	// unknown measure "recal@100"; did you mean "recall@100"? measures are ndcg@10, ndcg_exp@10, recall@100, precision@5, map@100, mrr, success@10, num_ret, num_rel, num_rel_ret (any depth after @)
}
