package wire

import (
	"encoding/json"
	"fmt"
	"strings"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
)

// FactsOf reads what only the service says of a resource from its record.
func FactsOf(schema *resource.Schema, record adsapi.Record) (resource.Attributes, error) {
	if len(schema.Facts) == 0 || len(record.JSON) == 0 {
		return nil, nil
	}
	fields, err := readFacts(schema, record.JSON)
	if err != nil {
		return nil, fmt.Errorf("read %s %s: %w", schema.Kind, record.ID, err)
	}
	return factsIn(schema, fields), nil
}

func factsIn(schema *resource.Schema, fields map[string]any) (facts resource.Attributes) {
	for _, f := range schema.Facts {
		text := factText(f, At(fields, f.Path))
		if text == "" {
			continue
		}
		if detail := factText(f, At(fields, f.Detail)); detail != "" {
			text += ": " + detail
		}
		facts.Set(f.Name, resource.Text(text))
	}
	return facts
}

// factText shows a value of the wire; what has no short form is not shown.
func factText(f resource.Fact, wire any) string {
	switch w := wire.(type) {
	case string:
		return w
	case json.Number:
		return w.String()
	case []any:
		var items []string
		for _, item := range w {
			if inner, ok := item.(map[string]any); ok {
				item = inner[f.Item]
			}
			if text := factText(f, item); text != "" {
				items = append(items, text)
			}
		}
		return strings.Join(items, ", ")
	}
	return ""
}
