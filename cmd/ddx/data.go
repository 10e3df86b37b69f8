package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ddx-rag/ddx/evaluation/dataset"
	"github.com/ddx-rag/ddx/evaluation/dataset/demo"
	"github.com/ddx-rag/ddx/internal/table"
)

func newData() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "data",
		Short:   "List and inspect datasets",
		Example: "  ddx data list\n  ddx data inspect path/to/folder",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newDataList(), newDataInspect())
	return cmd
}

// datasetInfo is one entry of `ddx data list --json`.
type datasetInfo struct {
	Name     string   `json:"name"`
	Queries  int      `json:"queries"`
	Passages int      `json:"passages"`
	Recorded []string `json:"recorded"`
	About    string   `json:"about"`
}

func newDataList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the built-in datasets",
		Long:    "List the built-in datasets. Any folder in R2MED's layout can be named in their place.",
		Example: "  ddx data list\n  ddx data list --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, err := describeDemo(cmd.Context(), newWorkspace(cmd))
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), []datasetInfo{info})
			}
			t := table.New("", table.Column{Title: "dataset"}, table.Column{Title: "queries", Align: table.Right},
				table.Column{Title: "passages", Align: table.Right}, table.Column{Title: "recorded answers"}, table.Column{Title: "what it is"})
			t.Row(info.Name, fmt.Sprint(info.Queries), fmt.Sprint(info.Passages), strings.Join(info.Recorded, ", "), info.About)
			_, err = t.WriteTo(cmd.OutOrStdout())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func describeDemo(ctx context.Context, w *workspace) (datasetInfo, error) {
	info := datasetInfo{Name: demoName, About: "clinical cases written for ddx; shows the tool"}
	d, err := w.openDataset(ctx, demoName, dataset.Options{})
	if err != nil {
		return info, err
	}
	info.Queries = len(d.Queries())
	for _, err := range d.Documents(ctx) {
		if err != nil {
			return info, err
		}
		info.Passages++
	}
	for _, r := range d.Recorded() {
		info.Recorded = append(info.Recorded, r.Method+"/"+r.Model)
	}
	return info, nil
}

func newDataInspect() *cobra.Command {
	var asJSON bool
	var files dataset.Options
	cmd := &cobra.Command{
		Use:   "inspect NAME|DIR",
		Short: "Count what is in a dataset and list what is wrong with it",
		Long: `Count what is in a dataset, from its files alone, and list what is odd or wrong: repeated ids, duplicate passages, judgments of unknown
passages, queries without judgments, recorded answers that are missing. The exit code is 1 when the dataset cannot be used as it is.`,
		Example: "  ddx data inspect demo\n  ddx data inspect path/to/folder --json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var fsys fs.FS = demo.Files()
			files.Name = args[0]
			if args[0] != demoName {
				if info, err := os.Stat(args[0]); err != nil {
					return usage(fmt.Errorf("dataset: %w", err))
				} else if !info.IsDir() {
					return usage(fmt.Errorf("dataset %s is a file; name the folder that holds it", args[0]))
				}
				fsys, files.Path = os.DirFS(args[0]), args[0]
			}
			report, err := dataset.Inspect(cmd.Context(), fsys, files)
			if err != nil {
				return err
			}
			if asJSON {
				err = writeJSON(cmd.OutOrStdout(), report)
			} else {
				err = report.WriteText(cmd.OutOrStdout())
			}
			if err == nil && report.Conflicts() > 0 {
				err = errors.New("the dataset cannot be used as it is: see the lines that begin with ERROR")
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringVar(&files.QueryFile, "queries", "", "other query `FILE` of the folder, e.g. query-all.jsonl")
	cmd.Flags().StringVar(&files.QrelsFile, "qrels", "", "other judgment `FILE` of the folder, e.g. qrels-all.jsonl")
	return cmd
}
