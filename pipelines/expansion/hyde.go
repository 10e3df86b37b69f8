package expansion

import (
	"errors"
)

func hyde() Method {
	return Method{
		Name:    "hyde",
		Summary: "a passage as a reference work would have it, written by the model, searched instead of the query",
		Source:  "HyDE: Gao, Ma, Lin and Callan, Precise Zero-Shot Dense Retrieval without Relevance Labels, ACL 2023",
		Read:    readPassage,
	}
}

// readPassage takes the whole answer, after its reasoning, as one text. What models like to put around a passage ("Certainly! Here is
// a passage:", rules, a closing remark) stays in it: R2MED searches with it too, so that figures can be compared, and nothing in a
// passage tells for sure where such talk ends.
func readPassage(text string) (Answer, error) {
	answer, reasoning, err := SplitReasoning(text)
	if err != nil {
		return Answer{}, err
	}
	if answer == "" {
		return Answer{}, blankAnswer(text)
	}
	return Answer{Searches: []Search{{Text: answer, Weight: 1}}, Reasoning: reasoning}, nil
}

// blankAnswer says what is wrong with a text that holds no answer.
func blankAnswer(text string) error {
	if trim(text) == "" {
		return errors.New("the answer is empty; a reasoning model may have spent its whole budget before it")
	}
	return errors.New("the answer holds reasoning only and nothing after it")
}
