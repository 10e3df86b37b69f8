package expansion_test

import (
	"fmt"

	"github.com/ddx-rag/ddx/pipelines/expansion"
)

func ExampleMethods() {
	const completion = "<think>One red joint.</think>\n```json\n" +
		`{"diagnoses": [{"name": "Gout", "synonyms": ["podagra"], "probability": "80%"}, {"name": "Pseudogout", "probability": 0.1}]}` + "\n```"
	for _, m := range expansion.Methods() {
		if m.Name != "diagnosis" {
			continue
		}
		answer, err := m.Read(completion)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, s := range answer.Searches {
			fmt.Println(s.Weight, s.Text)
		}
	}
	// Output:
	// 0.8 Gout podagra
	// 0.1 Pseudogout
}

func ExampleSplitReasoning() {
	answer, reasoning, err := expansion.SplitReasoning("Fever for a week, red eyes.\n</think>\n\nKawasaki disease is a vasculitis of childhood.")
	fmt.Printf("%q\n%q\n%v\n", answer, reasoning, err)

	_, _, err = expansion.SplitReasoning("<think>Fever for a week, red")
	fmt.Println(err)
	// Output:
	// "Kawasaki disease is a vasculitis of childhood."
	// "Fever for a week, red eyes."
	// <nil>
	// the answer was cut off inside its reasoning; nothing of it is searched
}

func ExampleParseDifferential() {
	d, warnings, err := expansion.ParseDifferential(`Most likely ["Gout", "Septic arthritis"]`)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, h := range d.Hypotheses {
		fmt.Println(h.Probability, h.Name)
	}
	fmt.Println(warnings[0])
	// Output:
	// 0.5 Gout
	// 0.25 Septic arthritis
	// no hypothesis states a usable probability; each counts half of the one before it
}
