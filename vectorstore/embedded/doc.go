// Package embedded is the store on the local disk: a BM25 index in one memory-mapped file that serves every variant, k1 and b, kept in a cache
// folder under the hash of what it was built from. Searches are exact; see Index.SearchText.
package embedded
