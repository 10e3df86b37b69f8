package expansion

func diagnosis() Method {
	return Method{
		Name:    "diagnosis",
		Summary: "a differential diagnosis: names and synonyms of what the patient may have, one search each, weighted by probability",
		Source:  "differentials: McDuff et al., Towards accurate differential diagnosis with large language models, Nature 2025",
		Several: true,
		Read:    readDiagnosis,
	}
}

// readDiagnosis makes one search per hypothesis, weighted by its probability. The order is that of ParseDifferential.
func readDiagnosis(text string) (Answer, error) {
	answer, reasoning, err := SplitReasoning(text)
	if err != nil {
		return Answer{}, err
	}
	if answer == "" {
		return Answer{}, blankAnswer(text)
	}
	d, warnings, err := ParseDifferential(answer)
	if err != nil {
		return Answer{}, err
	}
	searches := make([]Search, len(d.Hypotheses))
	for i, h := range d.Hypotheses {
		searches[i] = Search{Text: h.Text(), Weight: h.Probability}
	}
	return Answer{Searches: searches, Reasoning: reasoning, Warnings: warnings}, nil
}
