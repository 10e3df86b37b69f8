package embedded_test

import (
	"testing"

	"github.com/ddx-rag/ddx/vectorstore"
	"github.com/ddx-rag/ddx/vectorstore/storetest"
)

func TestTheContractOfLexicalIsKept(t *testing.T) {
	storetest.Lexical(t, func(t *testing.T, docs []vectorstore.Document) vectorstore.Lexical { return open(t, docs) })
}
