package pipelines

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/goccy/go-yaml"
)

// YAML renders the pipeline with every setting spelled out, defaults included. Parsing it gives the same pipeline.
func (s *Spec) YAML() (string, error) {
	doc := yaml.MapSlice{{Key: "name", Value: s.Name}}
	if s.Description != "" {
		doc = append(doc, yaml.MapItem{Key: "description", Value: s.Description})
	}
	if len(s.Models) > 0 {
		var models yaml.MapSlice
		for _, role := range slices.SortedFunc(maps.Keys(s.Models), cmp.Compare[string]) {
			m := s.Models[role]
			models = append(models, yaml.MapItem{Key: role, Value: yaml.MapSlice{{Key: "provider", Value: m.Provider}, {Key: "model", Value: m.Name}}})
		}
		doc = append(doc, yaml.MapItem{Key: "models", Value: models})
	}
	var steps []yaml.MapSlice
	for _, step := range s.Steps {
		var settings yaml.MapSlice
		for _, set := range step.Settings() {
			settings = append(settings, yaml.MapItem{Key: set.Key, Value: set.Value})
		}
		steps = append(steps, yaml.MapSlice{{Key: step.Kind(), Value: settings}})
	}
	doc = append(doc, yaml.MapItem{Key: "steps", Value: steps})
	out, err := yaml.Marshal(doc)
	if err != nil {
		return "", fmt.Errorf("pipeline %s: %w", s.Name, err)
	}
	return string(out), nil
}
