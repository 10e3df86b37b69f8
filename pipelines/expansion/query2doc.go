package expansion

func query2doc() Method {
	return Method{
		Name:    "query2doc",
		Summary: "a passage written by the model after worked examples, searched together with the query",
		Source:  "Query2Doc: Wang, Yang and Wei, Query2doc: Query Expansion with Large Language Models, EMNLP 2023",
		Read:    readPassage,
	}
}
