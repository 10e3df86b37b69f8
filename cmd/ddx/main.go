// Command ddx measures how much a language model's reasoning helps medical retrieval: it runs pipelines over benchmarks and reports
// each one's gain over plain retrieval. `ddx help` lists its commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit codes; scripts rely on them.
const (
	exitDone       = 0
	exitFailed     = 1
	exitUsage      = 2 // wrong usage or configuration
	exitIncomplete = 3 // done, but queries failed or recordings are missing
)

// usageError marks wrong usage or configuration.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// usage wraps an error as wrong usage or configuration; nil stays nil.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// errIncomplete ends a command whose results were printed but lack queries.
var errIncomplete = errors.New("the results are incomplete")

func main() { os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr)) }

// Main runs one command and returns its exit code.
func Main(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once

	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var wrong usageError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errIncomplete):
		return exitIncomplete
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "ddx: stopped")
		return exitFailed
	}
	fmt.Fprintf(stderr, "ddx: %v\n", err)
	if errors.As(err, &wrong) {
		return exitUsage
	}
	return exitFailed
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "ddx",
		Short: "Measure how much a language model's reasoning helps medical retrieval",
		Long: `ddx runs retrieval pipelines - HyDE, query-to-diagnosis inference, chain of thought and their combinations - over medical
benchmarks and reports how much each one gains over plain retrieval.

Results go to standard output, progress and warnings to standard error.
Exit codes: 0 done; 1 failed; 2 wrong usage or configuration; 3 done but incomplete (queries failed, recordings missing).

Environment: DDX_CACHE is the folder for indexes (default: the user's cache folder).`,
		Example: `  ddx eval                                            the built-in demo
  ddx eval --dataset path/to/folder                   the same pipelines over a folder in R2MED's layout
  ddx search --dataset demo --pipeline hyde --query-id demo-001`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage(fmt.Errorf("%w; see `%s --help`", err, cmd.CommandPath()))
	})
	root.AddCommand(newEval(), newSearch(), newMetrics(), newCompare(), newData(), newPipelines(), newVersion())
	wrapArgs(root)
	return root
}

// wrapArgs makes a wrong number of arguments, or an unknown command, wrong usage.
func wrapArgs(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return usage(fmt.Errorf("%w; see `%s --help`", err, cmd.CommandPath()))
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		wrapArgs(sub)
	}
}
