package fusion_test

import (
	"fmt"

	"github.com/ddx-rag/ddx/pipelines/fusion"
	"github.com/ddx-rag/ddx/vectorstore"
)

func ExampleRRF() {
	lists := []fusion.List{
		{Weight: 0.8, Hits: []vectorstore.Hit{{ID: "gout", Score: 12.1}, {ID: "pseudogout", Score: 11.7}}},
		{Weight: 0.2, Hits: []vectorstore.Hit{{ID: "septic-arthritis", Score: 9.3}, {ID: "gout", Score: 8.8}}},
	}
	for _, h := range fusion.RRF(lists, 60, 10) {
		fmt.Printf("%.4f %s\n", h.Score, h.ID)
	}
	// Output:
	// 0.0163 gout
	// 0.0129 pseudogout
	// 0.0033 septic-arthritis
}

func ExampleCombSUM() {
	lexical := fusion.List{Weight: 0.25, Hits: []vectorstore.Hit{{ID: "gout", Score: 12}, {ID: "pseudogout", Score: 6}}}
	dense := fusion.List{Weight: 0.75, Hits: []vectorstore.Hit{{ID: "septic-arthritis", Score: 0.8}, {ID: "gout", Score: 0.6}}}
	for _, h := range fusion.CombSUM([]fusion.List{lexical, dense}, fusion.Max, 10) {
		fmt.Printf("%.4f %s\n", h.Score, h.ID)
	}
	// Output:
	// 0.8125 gout
	// 0.7500 septic-arthritis
	// 0.1250 pseudogout
}
