package oracle

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// The limits of a job and of their submission (interface, parts 4 and 8).
const (
	mostOperations = 1000
	mostBody       = 16 << 20
	mostOperation  = 512 << 10
	mostName       = 255
	mostJobs       = 10
	jobsWindow     = 10 * time.Second
)

// BatchLegality is invariant 17. An agent never sends more jobs than an account
// may, whatever its processes die of, dry runs and repetitions counted; of an agent
// with another state it does not know, the account takes no more either way.
func BatchLegality(h *History) error {
	sent, taken := map[string][]time.Time{}, map[string][]time.Time{}
	for _, r := range h.Requests {
		if r.Path != jobsPath || r.Method != "POST" {
			continue
		}
		if err := r.legal(); err != nil {
			return fmt.Errorf("request %d: %w", r.N, err)
		}
		agent := fmt.Sprintf("%d at %s", r.Agent, h.accountOf(r))
		if sent[agent] = append(sent[agent], r.At); tooMany(sent[agent]) {
			return fmt.Errorf("request %d is the eleventh job of an agent within %s", r.N, jobsWindow)
		}
		if r.Status < 200 || r.Status >= 300 {
			continue
		}
		account := h.accountOf(r)
		if taken[account] = append(taken[account], r.At); tooMany(taken[account]) {
			return fmt.Errorf("request %d is the eleventh job the account takes within %s", r.N, jobsWindow)
		}
	}
	return nil
}

func tooMany(jobs []time.Time) bool {
	n := len(jobs)
	return n > mostJobs && jobs[n-1].Sub(jobs[n-1-mostJobs]) < jobsWindow
}

// accountOf is the account a request goes to: that of the files for its agents,
// or that of another key.
func (h *History) accountOf(r *Request) string {
	if slices.Contains(h.Credentials, r.Credential) {
		return h.Account
	}
	return r.Credential
}

func (r *Request) legal() error {
	if len(r.Content) > mostBody {
		return fmt.Errorf("a job of %d bytes", len(r.Content))
	}
	var body struct {
		Operations []json.RawMessage `json:"operations"`
	}
	if err := json.Unmarshal(r.Content, &body); err != nil {
		return fmt.Errorf("a job that is not JSON: %w", err)
	}
	if n := len(body.Operations); n < 1 || n > mostOperations {
		return fmt.Errorf("a job of %d operations", n)
	}
	job := newJob()
	for i, text := range body.Operations {
		if len(text) > mostOperation {
			return fmt.Errorf("operation %d has %d bytes", i+1, len(text))
		}
		if err := job.take(text); err != nil {
			return fmt.Errorf("operation %d (%.200s): %w", i+1, text, err)
		}
	}
	return nil
}

// job is what the operations so far have made and taken.
type job struct {
	taken   map[string]bool
	created map[string]operation // by key
}

func newJob() job { return job{map[string]bool{}, map[string]operation{}} }

// take holds one operation against those before it.
func (j job) take(text json.RawMessage) error {
	var o operation
	if err := json.Unmarshal(text, &o); err != nil {
		return err
	}
	if err := j.claim("id", o.ID); err != nil {
		return err
	}
	if o.Target != "" {
		if o.Key != "" {
			return errors.New("an update with the key of a create")
		}
		return j.claim("target", o.Target)
	}
	if err := j.claim("key", o.Key); err != nil {
		return err
	}
	j.created[o.Key] = o
	return j.parents(o)
}

// claim says that a name is there, short enough and no other operation's.
func (j job) claim(what, name string) error {
	if name == "" || len(name) > mostName || j.taken[what+" "+name] {
		return fmt.Errorf("%s %q is not one of its own in the job, of 1 to %d bytes", what, name, mostName)
	}
	j.taken[what+" "+name] = true
	return nil
}

// parents says that what stands above a create was created before it, in this
// job, and that an ad names the campaign of its ad group.
func (j job) parents(o operation) error {
	above := o.above()
	switch o.Type {
	case "campaign.create":
		return nil
	case "ad_group.create":
		return j.after(above.Campaign, "campaign.create")
	case "ad.create":
		if group := j.created[above.Group].above(); group.Campaign != above.Campaign {
			return fmt.Errorf("its ad group stands beneath campaign %q; it names %q", group.Campaign, above.Campaign)
		}
		return errors.Join(j.after(above.Campaign, "campaign.create"), j.after(above.Group, "ad_group.create"))
	}
	return fmt.Errorf("%q creates nothing, and targets nothing", o.Type)
}

func (j job) after(key, kind string) error {
	if made := j.created[key]; made.Type != kind {
		return fmt.Errorf("it stands beneath %q, which no %s before it has as its key", key, kind)
	}
	return nil
}

// references are the keys of the creates a create stands beneath.
type references struct {
	Campaign string `json:"campaign_idempotency_key"`
	Group    string `json:"ad_group_idempotency_key"`
}

func (o operation) above() (r references) {
	_ = json.Unmarshal(o.Input, &r) // what is no object names nothing above it
	return r
}
