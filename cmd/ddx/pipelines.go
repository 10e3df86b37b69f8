package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ddx-rag/ddx/internal/table"
	"github.com/ddx-rag/ddx/pipelines"
)

func newPipelines() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "pipelines",
		Short:   "List, show and check pipelines",
		Example: "  ddx pipelines list\n  ddx pipelines show diagnosis-each\n  ddx pipelines check my.yaml",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPipelinesList(), newPipelinesShow(), newPipelinesCheck())
	return cmd
}

// pipelineInfo is one line of `ddx pipelines list --json`.
type pipelineInfo struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Expansions  []string `json:"expansions"`
}

func newPipelinesList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the built-in pipelines",
		Example: "  ddx pipelines list\n  ddx pipelines list --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			registry := pipelines.NewRegistry()
			var infos []pipelineInfo
			for _, name := range pipelines.Builtins() {
				spec, err := registry.Load(name)
				if err != nil {
					return err
				}
				info := pipelineInfo{Name: name, Description: spec.Description, Expansions: []string{}}
				for _, use := range spec.Uses() {
					info.Expansions = append(info.Expansions, use.Method)
				}
				infos = append(infos, info)
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), infos)
			}
			t := table.New("", table.Column{Title: "pipeline"}, table.Column{Title: "expansions"}, table.Column{Title: "what it does"})
			for _, info := range infos {
				t.Row(info.Name, strings.Join(info.Expansions, ", "), info.Description)
			}
			_, err := t.WriteTo(cmd.OutOrStdout())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func newPipelinesShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME|FILE",
		Short: "Print a pipeline with every setting spelled out",
		Long: `Print a pipeline as YAML with every setting spelled out, defaults included. The output is itself a pipeline: save it, change it, and
name the file in --pipeline.`,
		Example: "  ddx pipelines show query2doc\n  ddx pipelines show hyde > my-hyde.yaml",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			spec, err := pipelines.NewRegistry().Load(args[0])
			if err != nil {
				return usage(err)
			}
			yaml, err := spec.YAML()
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), yaml)
			return err
		},
	}
}

func newPipelinesCheck() *cobra.Command {
	return &cobra.Command{
		Use:     "check NAME|FILE...",
		Short:   "Check pipelines without running them",
		Long:    "Check pipelines without running them. Every problem is reported with file, line and column; the exit code is then 2.",
		Example: "  ddx pipelines check my.yaml other.yaml",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var problems []error
			for _, arg := range args {
				spec, err := pipelines.NewRegistry().Load(arg)
				if err != nil {
					problems = append(problems, err)
					continue
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s: pipeline %s is fine\n", arg, spec.Name)
			}
			return usage(errors.Join(problems...))
		},
	}
}
