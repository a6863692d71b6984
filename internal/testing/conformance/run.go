package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Credentials that rows name.
const (
	other    = "other"    // the key of a second account of an emulator
	nobody   = "nobody"   // no credential
	stranger = "stranger" // a key that was never issued
)

// Target is a service.
type Target struct {
	BaseURL string // ends with /v1
	Keys    map[string]string
	Client  *http.Client
	Pause   time.Duration // between two looks at a bulk job
	// RunID makes the keys of this run its own: five characters, another one each time.
	RunID string
	// Emulator says that the /_emulator addresses are there.
	Emulator bool
	// Tidy archives the campaigns that a row made.
	Tidy bool
	// Points are the values of the service's open points, where they are known.
	Points map[string]string
}

// Run holds the target to the row. It gives what is wrong, one a line; an error
// means that the row came to no end.
func (t Target) Run(ctx context.Context, row Row) (problems []string, err error) {
	client := *t.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	t.Client = &client
	r := &run{Target: t, values: &values{saved: map[string]string{"run": t.RunID}, now: time.Now, points: t.Points}}
	if err := r.learn(ctx); err != nil {
		return nil, err
	}
	for _, s := range row.Steps() {
		for r.values.n = 0; r.values.n < max(1, s.Times); r.values.n++ {
			found, err := r.step(ctx, s)
			problems = append(problems, found...)
			if err != nil {
				return problems, errors.Join(err, r.tidy(ctx))
			}
		}
	}
	return problems, r.tidy(ctx)
}

// run is one row on its way.
type run struct {
	Target
	values    *values
	campaigns []string // that the row made
	jobs      []string // that the row submitted
}

// learn finds the account, its time zone, and what time it is there.
func (r *run) learn(ctx context.Context) error {
	a, err := r.send(ctx, get("/ad_account"))
	if err != nil {
		return err
	}
	r.values.saved["account"] = fmt.Sprint(at(a.JSON, "id"))
	zone, err := time.LoadLocation(fmt.Sprint(at(a.JSON, "timezone")))
	if err != nil {
		zone = time.UTC
	}
	r.values.now = func() time.Time { return time.Now().In(zone) }
	if !r.Emulator {
		return nil
	}
	return r.clock(ctx, zone)
}

// clock reads the emulator's clock, which the row may have moved.
func (r *run) clock(ctx context.Context, zone *time.Location) error {
	a, err := r.send(ctx, get("/_emulator/clock"))
	if err != nil {
		return err
	}
	now, err := time.Parse(time.RFC3339, fmt.Sprint(at(a.JSON, "now")))
	if err != nil {
		return fmt.Errorf("read the emulator's clock: %w", err)
	}
	r.values.now = func() time.Time { return now.In(zone) }
	return nil
}

func (r *run) step(ctx context.Context, s Step) ([]string, error) {
	if s.scopes != "" {
		return nil, r.signIn(ctx, s)
	}
	a, err := r.send(ctx, s)
	for deadline := time.Now().Add(patience); err == nil && s.waits(a); {
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("%s %s is still %.200s after %v", s.Method, r.values.fill(s.Path), a.Body, patience)
		}
		if err = wait(ctx, r.Pause); err == nil {
			a, err = r.send(ctx, s)
		}
	}
	if err != nil {
		return nil, err
	}
	if s.Path == "/_emulator/clock" && s.Method == "POST" {
		if err := r.clock(ctx, r.values.now().Location()); err != nil {
			return nil, err
		}
	}
	return r.judge(s, a)
}

// patience is how long a step asks again.
const patience = 2 * time.Minute

// waits reports whether the step asks again after the answer.
func (s Step) waits(a Answer) bool {
	status, _ := at(a.JSON, "status").(string)
	return slices.Contains(s.While, status)
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// judge compares an answer with what the step wants, and keeps what it saves.
func (r *run) judge(s Step, a Answer) (problems []string, err error) {
	what := fmt.Sprintf("%s %s", s.Method, r.values.fill(s.Path))
	if s.Want == nil && a.Status >= 300 {
		return nil, fmt.Errorf("%s = %d %.400s, want success", what, a.Status, a.Body)
	}
	if s.Want != nil {
		if w := r.statuses(s.Want); len(w) > 0 && !slices.Contains(w, a.Status) {
			problems = append(problems, fmt.Sprintf("%s = %d, want %v: %.400s", what, a.Status, w, a.Body))
		} else {
			for _, c := range s.Want.Checks {
				if wrong := c(a, r.values); wrong != "" {
					problems = append(problems, fmt.Sprintf("%s: %s: %.400s", what, wrong, a.Body))
				}
			}
		}
	}
	for _, each := range s.Saves {
		value := at(a.JSON, each.path)
		if value == missing {
			return problems, fmt.Errorf("%s = %d %.400s has no %s", what, a.Status, a.Body, each.path)
		}
		r.values.saved[each.name] = fmt.Sprint(value)
	}
	r.remember(s, a)
	return problems, nil
}

// statuses are those that the step wants: that of a conflict is an open point.
func (r *run) statuses(w *Want) []int {
	status, err := strconv.Atoi(r.Points["conflict_status"])
	if err != nil || !slices.Contains(w.Statuses, http.StatusConflict) {
		return w.Statuses
	}
	return append(slices.Clip(w.Statuses), status)
}

func (r *run) send(ctx context.Context, s Step) (Answer, error) {
	body, kind, err := r.values.body(s.Body)
	if err != nil {
		return Answer{}, fmt.Errorf("write the body of %s %s: %w", s.Method, s.Path, err)
	}
	path := strings.ReplaceAll(r.values.fill(s.Path), " ", "%20")
	if left := unfilled.FindString(path); left != "" {
		return Answer{}, fmt.Errorf("%s %s: nothing is called %s", s.Method, path, left)
	}
	req, err := http.NewRequestWithContext(ctx, s.Method, r.address(path), bytes.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if key := r.credential(s.As); key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	for i := 0; i+1 < len(s.Header); i += 2 {
		req.Header.Set(s.Header[i], r.values.fill(s.Header[i+1]))
	}
	return r.exchange(req)
}

func (r *run) exchange(req *http.Request) (Answer, error) {
	resp, err := r.Client.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return Answer{}, fmt.Errorf("read the answer of %s %s: %w", req.Method, req.URL.Path, err)
	}
	a := Answer{Status: resp.StatusCode, Header: resp.Header, Body: text}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if d.Decode(&a.JSON) != nil {
		a.JSON = nil
	}
	return a, nil
}

// address is where a path is: below the base, or beside it for /_emulator.
func (r *run) address(path string) string {
	if strings.HasPrefix(path, "/_") || strings.HasPrefix(path, "/v") {
		return strings.TrimSuffix(r.BaseURL, "/v1") + path
	}
	return r.BaseURL + path
}

// credential is the key of somebody, or a value that a step saved.
func (r *run) credential(who string) string {
	if value, ok := r.values.saved[who]; ok {
		return value
	}
	if who == nobody {
		return ""
	}
	return r.Keys[who]
}

// remember keeps what tidy has to archive.
func (r *run) remember(s Step, a Answer) {
	id, ok := at(a.JSON, "id").(string)
	switch {
	case !ok || s.Method != http.MethodPost:
	case s.Path == "/campaigns":
		r.campaigns = append(r.campaigns, id)
	case s.Path == jobs:
		r.jobs = append(r.jobs, id)
	}
}

// tidy archives the campaigns that the row made, by itself or in jobs of at most
// 100 operations.
func (r *run) tidy(ctx context.Context) error {
	if !r.Tidy {
		return nil
	}
	for _, id := range r.jobs {
		r.values.saved["job"] = id
		if _, err := r.step(ctx, end()); err != nil {
			return err
		}
		a, err := r.send(ctx, results)
		if err != nil {
			return err
		}
		made, _ := at(a.JSON, "data").([]any)
		for _, each := range made {
			if id, ok := at(each, "resource_id").(string); ok && at(each, "type") == "campaign.create" {
				r.campaigns = append(r.campaigns, id)
			}
		}
	}
	for _, id := range r.campaigns {
		if _, err := r.send(ctx, act("/campaigns/"+id+"/archive")); err != nil {
			return err
		}
	}
	return nil
}
