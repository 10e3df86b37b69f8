// Package demo holds the built-in demo dataset, written for this project: short clinical cases whose relevant passages are about what the case does
// not name. data/DATASET.md says how it was made. Its numbers show the tool and claim nothing about medicine or models.
package demo

import (
	"embed"
	"io/fs"
)

//go:embed data
var data embed.FS

// Files is the dataset's folder, in R2MED's layout.
func Files() fs.FS {
	files, err := fs.Sub(data, "data")
	if err != nil {
		panic(err) // only an invalid path fails, and this one is a constant
	}
	return files
}
