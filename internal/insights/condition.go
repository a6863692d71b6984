package insights

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/pattern"
)

// Condition is a filter in the service's words.
type Condition struct {
	Field    string `json:"field"`
	Operator string `json:"operator"`
	Value    any    `json:"value"` // []string of IN, json.Number of a comparison
}

var (
	compared = pattern.Of(`^([a-z_.]+)\s*([<>])\s*(-?[0-9]{1,12}(\.[0-9]{1,12})?)$`)
	equalled = pattern.Of(`^([a-z_.]+)\s*=(.*)$`)
)

// ParseCondition reads campaign.name=Spring,Winter, spend>10, or the service's own JSON.
// A backslash before a comma makes it part of the value.
func ParseCondition(text string) (Condition, error) {
	if strings.HasPrefix(text, "{") {
		var c Condition
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		d.DisallowUnknownFields()
		if err := d.Decode(&c); err != nil || c.Field == "" || c.Operator == "" || c.Value == nil {
			return c, fmt.Errorf(`--filter is %q; want {"field":…,"operator":…,"value":…}`, text)
		}
		return c, nil
	}
	if m := compared.FindStringSubmatch(text); m != nil {
		operator := map[string]string{">": "GREATER_THAN", "<": "LESS_THAN"}[m[2]]
		return Condition{m[1], operator, json.Number(m[3])}, nil
	}
	if m := equalled.FindStringSubmatch(text); m != nil {
		return Condition{m[1], "IN", valuesOf(m[2])}, nil
	}
	return Condition{}, fmt.Errorf("--filter is %q; want such as campaign.name=Spring,Winter or spend>10", text)
}

func valuesOf(text string) []string {
	const mark = "\x00"
	values := strings.Split(strings.ReplaceAll(text, `\,`, mark), ",")
	for i := range values {
		values[i] = strings.TrimSpace(strings.ReplaceAll(values[i], mark, ","))
	}
	return values
}

// ofMetric reports whether the condition chooses rows by a figure.
func (c Condition) ofMetric() bool { return c.Operator != "IN" }

// Order is an entry of a sort in the service's words.
type Order struct {
	Field     string `json:"field"`
	Direction string `json:"direction"`
}

// ParseOrder reads spend:desc, spend:asc or spend, which is from the largest down.
func ParseOrder(text string) (Order, error) {
	field, direction, has := strings.Cut(text, ":")
	if !has {
		direction = "desc"
	}
	if !fieldName.MatchString(field) || !slices.Contains([]string{"asc", "desc"}, direction) {
		return Order{}, fmt.Errorf("--sort is %q; want such as spend:desc or campaign.name:asc", text)
	}
	return Order{field, direction}, nil
}

var fieldName = pattern.Of(`^[a-z][a-z_]*(\.[a-z_]+)*$`)

// asJSON are entries as the service's arrays have them, each a JSON text.
func asJSON[T any](entries []T) ([]string, error) {
	var texts []string
	for _, entry := range entries {
		text, err := json.Marshal(entry)
		if err != nil {
			return nil, err
		}
		texts = append(texts, string(text))
	}
	return texts, nil
}
