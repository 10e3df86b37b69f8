package dataset

import (
	"context"
	"strings"
)

// recorded reads all recorded answers.
func (in *inspector) recorded(ctx context.Context) error {
	for _, file := range in.d.Recorded() {
		rec := &recording{}
		err := rec.read(ctx, in.d, file.File, in.unreadable)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil { // not a text of lines at all
			in.found(true, "recorded answers that cannot be read", err.Error())
		}
		label := file.Method + "/" + file.Model + ": "
		out := RecordingReport{Method: file.Method, Model: file.Model, Lines: rec.lines, Changed: len(rec.changed)}
		for _, q := range in.d.queries {
			answer, ok := rec.answers[q.ID]
			switch {
			case !ok || answer.null:
				out.Missing++
				in.found(false, "queries without a recorded answer", label+q.ID)
			case strings.TrimSpace(answer.text) == "":
				out.Empty++
				in.found(false, "recorded answers that are blank", label+q.ID)
			}
		}
		for id, answer := range rec.answers {
			if !answer.null {
				out.Answers++
				if _, known := in.d.texts[id]; !known {
					out.Unknown++
				}
			}
		}
		for _, id := range rec.changed {
			in.found(false, "recorded answers to another wording of the query", label+id)
		}
		in.report.Recorded = append(in.report.Recorded, out)
	}
	return nil
}
