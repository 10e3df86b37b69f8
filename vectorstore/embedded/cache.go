package embedded

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/ddx-rag/ddx/internal/text"
	"github.com/ddx-rag/ddx/vectorstore"
)

// CacheOptions are the settings of OpenOrBuild; the zero value is usable.
type CacheOptions struct {
	Warn    func(message string) // told about a damaged index that is built anew; nil for nobody
	Workers int                  // of a build; 0 stands for the number of processors that Go uses
}

// OpenOrBuild opens the index of a corpus and an analysis in the cache folder dir, or builds it there when it is absent, damaged or of another version.
// corpusHash identifies the documents; documents is called only for a build. Several processes can do the same at once: one builds, the
// others wait for it. A process that is killed leaves nothing that is ever read.
func OpenOrBuild(ctx context.Context, dir, corpusHash string, a *text.Analysis,
	documents func(context.Context) iter.Seq2[vectorstore.Document, error], o CacheOptions) (*Index, error) {
	fingerprint := corpusHash + " " + a.Fingerprint()
	name := sha256.Sum256([]byte(fingerprint))
	path := filepath.Join(dir, hex.EncodeToString(name[:16])+".bm25")

	x, err := openCached(path, fingerprint, a)
	if err == nil {
		return x, nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("index cache: %w; set DDX_CACHE to a folder that can be written", err)
	}
	lock := flock.New(path + ".lock")
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("index cache: waiting for another process: %w", err)
		}
		return nil, fmt.Errorf("index cache: %w; set DDX_CACHE to a folder that can be written", err)
	}
	defer func() { _ = lock.Unlock() }() // the lock ends with the process in any case

	x, err = openCached(path, fingerprint, a) // another process may have built it in the meantime
	switch {
	case err == nil:
		return x, nil
	case errors.Is(err, ErrDamaged):
		if o.Warn != nil {
			o.Warn(fmt.Sprintf("%v; it is built anew", err))
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	removeLeftovers(path)
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if err := Build(ctx, path, fingerprint, a, documents(ctx), workers); err != nil {
		return nil, err
	}
	return openCached(path, fingerprint, a)
}

func openCached(path, fingerprint string, a *text.Analysis) (*Index, error) {
	x, err := Open(path, a)
	if err != nil {
		return nil, err
	}
	if x.fingerprint != fingerprint {
		_ = x.Close() // the mismatch is what counts
		return nil, fmt.Errorf("index %s: %w: it belongs to other documents or another analysis", path, ErrDamaged)
	}
	return x, nil
}

// removeLeftovers deletes what killed builds of this index left behind; the lock says that none is running. They have the prefix that
// atomic writing gives its temporary files.
func removeLeftovers(path string) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return // the build will fail with a better message
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "."+filepath.Base(path)) {
			_ = os.Remove(filepath.Join(filepath.Dir(path), e.Name())) // at worst it stays
		}
	}
}
