package adsapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/big"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"adsync/internal/pattern"
)

// InsightsQuery asks for figures of the whole account (interface, part 4;
// service facts, section 10).
type InsightsQuery struct {
	Level       string // aggregation_level: "campaign"
	Granularity string // time_granularity: "none", "daily"
	Since       string // first day, YYYY-MM-DD
	Until       string // last day, inside
	TimeZone    string // in which the days are
	Fields      []string
}

// InsightsRow is one row of figures. Fields are by their key in the row;
// numbers keep the digits the service wrote, so that money never is a float.
type InsightsRow struct {
	Start  int64 // Unix seconds
	End    int64 // Unix seconds, outside; 0 where the service does not say
	Fields map[string]string
}

// Insights returns the rows of a query, page by page.
func (c *Client) Insights(ctx context.Context, q InsightsQuery) iter.Seq2[InsightsRow, error] {
	const collection = "ad_account/insights"
	query, err := q.values()
	if err != nil {
		return func(yield func(InsightsRow, error) bool) {
			yield(InsightsRow{}, refuse(http.MethodGet, "/"+collection, err))
		}
	}
	return c.Figures(ctx, collection, query)
}

// Figures returns the rows of a list of figures, such as "ad_account/hotel_insights", page by page.
func (c *Client) Figures(ctx context.Context, collection string, query url.Values) iter.Seq2[InsightsRow, error] {
	return func(yield func(InsightsRow, error) bool) {
		for raw, err := range c.Rows(ctx, collection, query) {
			row := InsightsRow{}
			if err == nil {
				row, err = decodeInsights(raw)
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// conversionsPath is a POST that reads (service facts, section 10).
const conversionsPath = "/conversions/insights"

// ConversionFigures asks for figures of conversions; body is the question, as JSON. It changes nothing.
func ConversionFigures(ctx context.Context, c *Client, body []byte) (json.RawMessage, error) {
	e, err := parseEndpoint(conversionsPath)
	if err != nil {
		return nil, refuse(http.MethodPost, conversionsPath, err)
	}
	var answer json.RawMessage
	err = c.do(ctx, request{method: http.MethodPost, endpoint: e, body: body, contentType: "application/json",
		repeatable: true}, func(body []byte) error {
		answer = body
		return unmarshalObject(body, &struct{}{})
	})
	return answer, err
}

func (q InsightsQuery) values() (url.Values, error) {
	span, err := json.Marshal(struct {
		Type     string `json:"type"`
		Since    string `json:"since"`
		Until    string `json:"until"`
		TimeZone string `json:"timezone,omitempty"`
	}{"date_range", q.Since, q.Until, q.TimeZone})
	if err != nil {
		return nil, fmt.Errorf("time range: %w", err)
	}
	return url.Values{
		"aggregation_level": {q.Level}, "time_granularity": {q.Granularity},
		"time_ranges": {string(span)}, "fields": q.Fields,
	}, nil
}

// number is a decimal of a size a figure can have.
var number = pattern.Of(`^-?[0-9]{1,30}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?$`)

// plainDigits writes a number without an exponent, with exactly its digits.
func plainDigits(text string) (string, bool) {
	if !number.MatchString(text) {
		return "", false
	}
	if !strings.ContainsAny(text, "eE") {
		return text, true
	}
	exact, ok := new(big.Rat).SetString(text)
	if !ok {
		return "", false
	}
	digits, _ := exact.FloatPrec()
	return exact.FloatString(digits), true
}

func decodeInsights(raw json.RawMessage) (InsightsRow, error) {
	var values map[string]any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&values); err != nil {
		return InsightsRow{}, unreadableRow("a row is no object")
	}
	row := InsightsRow{Fields: make(map[string]string, len(values))}
	for name, value := range values {
		switch v := value.(type) {
		case string:
			row.Fields[name] = v
		case json.Number:
			digits, ok := plainDigits(v.String())
			if !ok {
				return InsightsRow{}, unreadableRow(fmt.Sprintf("%s is %s; want a figure",
					clean(name, 40), clean(v.String(), 40)))
			}
			row.Fields[name] = digits
		}
	}
	start, err := strconv.ParseInt(row.Fields["start_time"], 10, 64)
	if err != nil {
		return InsightsRow{}, unreadableRow(fmt.Sprintf("start_time is %q; want Unix seconds",
			clean(row.Fields["start_time"], 40)))
	}
	row.Start = start
	row.End, _ = strconv.ParseInt(row.Fields["end_time"], 10, 64) // it may be absent
	return row, nil
}

func unreadableRow(why string) *Error {
	return &Error{
		Method: http.MethodGet, Path: "/ad_account/insights",
		Status: http.StatusOK, fault: faultUnreadable, Message: why,
	}
}
