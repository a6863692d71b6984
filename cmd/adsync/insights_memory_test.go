package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"adsync/cmd/adsync/internal/session"
)

// mostFiguresMemory bounds the memory of insights of 150,000 rows.
const mostFiguresMemory = 150 << 20

// manyFigures is an account of 5,000 ads that ran for 30 days, and a project of it.
func manyFigures(t *testing.T) (f *manyRows, dir string, environment []string) {
	t.Helper()
	f = &manyRows{ads: 5000, days: 30}
	line := httptest.NewServer(f)
	t.Cleanup(line.Close)
	dir = t.TempDir()
	project := "account: {id: " + figuresAccount + ", currency: USD, timezone: UTC}\n"
	noError(t, os.WriteFile(filepath.Join(dir, "adsync.yaml"), []byte(project), 0o600))
	return f, dir, []string{session.EnvBaseURL + "=" + line.URL + "/v1", session.EnvKey + "=sk-figures",
		"GOGC=100"} // as users have it
}

// figuresOf is the command whose memory is bounded.
func figuresOf(form, into, dir string) []string {
	return []string{"insights", "--level", "ad", "--by", "day", "--span", "30d", "--compare=false",
		"--chart", "--sort", "spend:desc", "--force", "-o", form, "--out", into, dir}
}

// Figures of 5,000 ads by day for 30 days are streamed in every form, compared row by row and
// joined to weeks: no process has them in memory. The CSV has each row once, and its sums
// are those that were served.
func TestFiguresOfManyAdsTakeLittleMemory(t *testing.T) {
	t.Parallel()
	f, dir, environment := manyFigures(t)
	for _, form := range []string{"csv", "xlsx", "html"} {
		into := filepath.Join(t.TempDir(), "figures."+form)
		took := allocated(t, environment, figuresOf(form, into, dir)...)
		t.Logf("%s: %d MiB", form, took.Peak>>20)
		if took.Peak == 0 || took.Peak > mostFiguresMemory {
			t.Errorf("%s took %d MiB; want at most %d", form, took.Peak>>20, mostFiguresMemory>>20)
		}
		if form == "csv" {
			sumsOf(t, into, f.ads*f.days)
		}
	}
	for name, more := range map[string][]string{
		"rows compared": {"--compare=true", "--compare-rows"}, "weeks": {"--by", "week"},
		"rows compared, xlsx": {"--compare=true", "--compare-rows", "-o", "xlsx"},
	} {
		into := filepath.Join(t.TempDir(), "figures.csv")
		took := allocated(t, environment, append(figuresOf("csv", into, dir), more...)...)
		t.Logf("%s: %d MiB", name, took.Peak>>20)
		if took.Peak == 0 || took.Peak > mostFiguresMemory {
			t.Errorf("%s took %d MiB; want at most %d", name, took.Peak>>20, mostFiguresMemory>>20)
		}
	}
}

// sumsOf holds a CSV to rows whose i-th has 1000 + i % 977 impressions.
func sumsOf(t *testing.T, name string, rows int) {
	t.Helper()
	content, err := os.ReadFile(name)
	noError(t, err)
	records, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	noError(t, err)
	column := -1
	for i, head := range records[0] {
		if head == "impressions" {
			column = i
		}
	}
	have, want := 0, 0
	for _, record := range records[1:] {
		n := 0
		_, err := fmt.Sscan(record[column], &n)
		noError(t, err)
		have += n
	}
	for i := range rows {
		want += 1000 + i%977
	}
	if len(records)-1 != rows || have != want {
		t.Errorf("%d rows with %d impressions; want %d with %d", len(records)-1, have, rows, want)
	}
}

// figures measures insights of 5,000 ads by day, and holds it to its bound of memory.
func (m *measuring) figures() {
	m.t.Helper()
	f, dir, environment := manyFigures(m.t)
	m.service, m.family = nil, 0
	for _, form := range []string{"csv", "xlsx"} {
		into := filepath.Join(m.t.TempDir(), "figures."+form)
		f.requests = 0
		took := m.runs(1, append(benchEnvironment(), environment...), nothing, figuresOf(form, into, dir)...)
		m.sent = counts{Requests: int64(f.requests / 2)} // of the process that is measured, not of the one that counts
		m.of("insights, 150,000 rows, "+form, 78, took)
		if took.Peak > mostFiguresMemory {
			m.t.Errorf("insights as %s took %d MiB; want at most %d", form, took.Peak>>20, mostFiguresMemory>>20)
		}
	}
}
