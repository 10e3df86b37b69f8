// Package sharedtest finds the recorded answers and real data that tests compare with. They stand in a folder named "shared" beside
// the repository and are not part of it.
package sharedtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns the file or folder rel of the shared folder, and skips the test where it is absent.
func Path(t testing.TB, rel string) string {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		parent := filepath.Dir(root)
		if parent == root {
			t.Fatal("no go.mod above the test's folder")
		}
		root = parent
	}
	path := filepath.Join(filepath.Dir(root), "shared", filepath.FromSlash(rel))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("needs %s in the folder \"shared\" beside the repository", rel)
	}
	return path
}
