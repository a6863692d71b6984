package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
)

// recentEvents lists one event more each time, the newest first, and 3 at the most.
type recentEvents struct{ asked int }

func (r *recentEvents) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var list []string
	for i := r.asked; i >= max(0, r.asked-2); i-- {
		list = append(list, fmt.Sprintf(
			`{"event_type":"order_created","event_data_json":"{\"n\":%d}","received_at_ms":%d}`, i, 1_700_000_000_000+i))
	}
	r.asked++
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"object":"list","data":[%s]}`, strings.Join(list, ","))
}

// TestFollowedEventsAreShownOnce: each event once, in order, with a wait between two looks.
func TestFollowedEventsAreShownOnce(t *testing.T) {
	line := httptest.NewServer(&recentEvents{})
	defer line.Close()
	dir := t.TempDir()
	noError(t, os.WriteFile(filepath.Join(dir, "adsync.yaml"), []byte("account: {id: a}\n"), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	var out, errs bytes.Buffer
	env := &session.Env{}
	env.In, env.Out, env.Err = strings.NewReader(""), &out, &errs
	env.Getenv = func(name string) string {
		return map[string]string{session.EnvBaseURL: line.URL + "/v1", session.EnvKey: "sk"}[name]
	}
	looks := 0
	env.Clock = session.Clock{Now: time.Now, Sleep: func(ctx context.Context, _ time.Duration) error {
		if looks++; looks == 5 {
			cancel()
		}
		return ctx.Err()
	}}
	code := execute(ctx, env, []string{"conversions", "recent", "--follow", "-o", "ndjson", "--dir", dir, "px"})
	var want strings.Builder
	for i := range 5 {
		fmt.Fprintf(&want, `{"event_type":"order_created","custom_event_name":"","action_source":"","api_channel":"",`+
			`"data_source_id":"","event_timestamp_ms":0,"received_at_ms":%d,"event_data_json":"{\"n\":%d}"}`+"\n",
			1_700_000_000_000+i, i)
	}
	if out.String() != want.String() || code != console.ExitInterrupted {
		t.Errorf("ends with %d: %s\n%s\nwant\n%s", code, &errs, &out, &want)
	}
}
