package state

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"adsync/internal/resource"
)

var acme = Account{ID: "act_1", Currency: "EUR", TimeZone: "Europe/Berlin"}

// morning is the time of every test.
var morning = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

func options() Options {
	return Options{Now: func() time.Time { return morning }, Random: lineages()}
}

func lineages() io.Reader { return strings.NewReader("0123456789abcdef") }

func openFolder(t testing.TB, dir string) Store {
	t.Helper()
	s, err := Open(t.Context(), dir, options())
	if err != nil {
		t.Fatalf("Open(%s) = %v, want a store", dir, err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func openServer(t testing.TB, address string) *Server {
	t.Helper()
	s, err := OpenServer(t.Context(), address, Options{Command: "test"})
	if err != nil {
		t.Fatalf("OpenServer() = %v, want a server", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func openAccount(t testing.TB, server *Server) Store {
	t.Helper()
	s, err := server.Open(t.Context(), acme.ID, options())
	if err != nil {
		t.Fatalf("Open(%s) = %v, want a store", acme.ID, err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func address(s string) resource.Address {
	a, ok := resource.ParseAddress(s)
	if !ok {
		panic("no address: " + s)
	}
	return a
}

// with returns attributes from names and values in turn.
func with(nameValues ...any) resource.Attributes {
	var as resource.Attributes
	for i := 0; i < len(nameValues); i += 2 {
		as.Set(nameValues[i].(string), value(nameValues[i+1]))
	}
	return as
}

func value(v any) resource.Value {
	switch v := v.(type) {
	case string:
		return resource.Text(v)
	case int:
		return resource.Number(int64(v))
	case []string:
		return resource.List(v)
	}
	return resource.Null()
}

// ads returns n resources as a run would record them, from number first on.
func ads(first, n int) []Applied {
	applied := make([]Applied, n)
	for i := range applied {
		applied[i] = Applied{
			Address:  address(fmt.Sprintf("ad/spring/group-%d/ad-%d", (first+i)/100, first+i)),
			ID:       fmt.Sprintf("ad_%032d", first+i),
			ParentID: fmt.Sprintf("adgrp_%032d", (first+i)/100),
			Attributes: with(
				"name", fmt.Sprintf("Spring shoes %d", first+i), "status", "active",
				"creative.title", "Run further this spring",
				"creative.body", "The lightest shoe we have ever made, now in nine colours.",
				"creative.target_url", fmt.Sprintf("https://shop.example/shoes/%d?utm_source=ads", first+i),
				"creative.image", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
				"bid.max", 1_500_000, "hints", []string{"running shoes for a first marathon", "light shoes"}),
			Replace: true,
		}
	}
	return applied
}

// job returns a bulk step that creates n ads.
func job(id string, n int) Step {
	s := Step{
		ID: id, Run: "run-1", Route: Bulk, Path: "bulk_mutation_jobs", Key: "job-" + id,
		ContentType: "application/json", Body: []byte(`{"operations":["` + id + `"]}`), PlanHash: "sha256:plan",
	}
	for i, a := range ads(0, n) {
		s.Operations = append(s.Operations, Operation{
			ID: fmt.Sprintf("op-%d", i), Address: a.Address, Action: "create", Key: fmt.Sprintf("create-%d", i),
			Set: a.Attributes, Complete: true,
		})
	}
	return s
}

// written writes a report that is a text.
func written(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}
