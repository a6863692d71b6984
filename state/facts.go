package state

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"adsync/internal/resource"
)

// keptRuns is how many runs stay in the history.
const keptRuns = 1000

// Bind records the account at first use and refuses every other afterwards.
func (l *ledger) Bind(ctx context.Context, account Account) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	bound := l.header.Account
	switch {
	case bound == account:
		return nil
	case bound != Account{}:
		return fmt.Errorf("%w: it is bound to %s, "+
			"this account is %s; use the state of this account, or a folder of its own", ErrForeign, bound, account)
	case account.ID == "":
		return fmt.Errorf("account has no id; want the id the service gives")
	case l.readOnly:
		return nil
	}
	if err := l.writable(); err != nil {
		return err
	}
	l.header.Account = account
	return l.commit(nil)
}

// String returns `id (EUR, Europe/Berlin)`.
func (a Account) String() string {
	return fmt.Sprintf("%s (%s, %s)", a.ID, a.Currency, a.TimeZone)
}

// Files returns the file ids of this account by source.
func (l facts) Files(_ context.Context) (map[string]string, error) {
	files := map[string]string{}
	return files, l.each(classFile, func(source, id string) error {
		files[source] = id
		return nil
	})
}

// RecordFile binds a source to the id the service gave the file.
func (l facts) RecordFile(_ context.Context, source, fileID string) error {
	return l.change(func(b *batch) error {
		b.put(classFile, source, fileID)
		return nil
	})
}

// Capabilities returns what was found out about the account.
func (l facts) Capabilities(_ context.Context) (map[resource.Capability]bool, error) {
	capabilities := map[resource.Capability]bool{}
	return capabilities, l.each(classCapability, func(key, value string) error {
		there, err := strconv.ParseBool(value)
		capabilities[resource.Capability(key)] = there
		return err
	})
}

// RecordCapability remembers what was found out.
func (l facts) RecordCapability(_ context.Context, capability resource.Capability, there bool) error {
	return l.change(func(b *batch) error {
		b.put(classCapability, string(capability), strconv.FormatBool(there))
		b.put(classAsked, string(capability), strconv.FormatInt(l.now().Unix(), 10))
		return nil
	})
}

// Asked returns when each capability was found out; one that is missing was found
// out by an older program.
func (l facts) Asked(_ context.Context) (map[resource.Capability]time.Time, error) {
	asked := map[resource.Capability]time.Time{}
	return asked, l.each(classAsked, func(key, value string) error {
		seconds, err := strconv.ParseInt(value, 10, 64)
		asked[resource.Capability(key)] = time.Unix(seconds, 0)
		return err
	})
}

type runRecord struct {
	Read     time.Time `json:"read,omitzero"`
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished,omitzero"`
	PlanHash string    `json:"plan_hash,omitzero"`
	Summary  string    `json:"summary,omitzero"`
	Settled  bool      `json:"settled,omitzero"`
}

// RecordRun writes a run, in place of the one with the same id.
func (l history) RecordRun(_ context.Context, run Run) error {
	value, err := json.Marshal(runRecord{
		run.Read.UTC(), run.Started.UTC(), run.Finished.UTC(), run.PlanHash, run.Summary, run.Settled})
	if err != nil {
		return fmt.Errorf("record run %q: %w", run.ID, err)
	}
	return l.change(func(b *batch) error {
		_, known := b.sums[record{classRun, run.ID}]
		b.put(classRun, run.ID, string(value))
		if known || b.counts[classRun] < keptRuns {
			return nil
		}
		return reports{b}.prune()
	})
}

// Runs returns the newest runs first.
func (l history) Runs(_ context.Context, limit int) ([]Run, error) {
	var runs []Run
	err := l.view(func(b *batch) (err error) {
		if runs, err = (reports{b}).runs(); err != nil {
			return err
		}
		if limit > 0 && len(runs) > limit {
			runs = runs[:limit]
		}
		return reports{b}.addHeads(runs)
	})
	return runs, err
}

func (b reports) runs() ([]Run, error) {
	var runs []Run
	err := b.engine.each(classRun, func(id, value string) error {
		var r runRecord
		if json.Unmarshal([]byte(value), &r) != nil {
			return unreadable(record{classRun, id})
		}
		runs = append(runs, Run{
			ID: id, Read: r.Read, Started: r.Started, Finished: r.Finished,
			PlanHash: r.PlanHash, Summary: r.Summary, Settled: r.Settled,
		})
		return nil
	})
	slices.SortFunc(runs, func(r, s Run) int {
		return cmp.Or(s.Started.Compare(r.Started), cmp.Compare(s.ID, r.ID))
	})
	return runs, err
}

type blockedRecord struct {
	InputHash string    `json:"input_hash"`
	Code      string    `json:"code"`
	Message   string    `json:"message"`
	Since     time.Time `json:"since"`
	Run       string    `json:"run,omitempty"`
	Asked     string    `json:"asked,omitempty"`
}

// Blocked returns the quarantined resources.
func (l facts) Blocked(_ context.Context) (map[resource.Address]Blocked, error) {
	blocked := map[resource.Address]Blocked{}
	return blocked, l.each(classBlocked, func(key, value string) error {
		var r blockedRecord
		address, ok := resource.ParseAddress(key)
		if !ok || json.Unmarshal([]byte(value), &r) != nil {
			return unreadable(record{classBlocked, key})
		}
		blocked[address] = Blocked{address, r.InputHash, r.Code, r.Message, r.Since, r.Run, r.Asked}
		return nil
	})
}

// Block quarantines resources until their input is another than InputHash.
func (l facts) Block(_ context.Context, blocked []Blocked) error {
	return l.change(func(b *batch) error {
		for _, r := range blocked {
			key, err := addressKey(r.Address)
			if err != nil {
				return err
			}
			since := r.Since
			if since.IsZero() {
				since = l.now()
			}
			value, err := json.Marshal(blockedRecord{r.InputHash, r.Code, r.Message, since.UTC(), r.Run, r.Asked})
			if err != nil {
				return fmt.Errorf("block %s: %w", r.Address, err)
			}
			b.put(classBlocked, key, string(value))
		}
		return nil
	})
}

// Unblock ends the quarantine of resources.
func (l facts) Unblock(_ context.Context, addresses []resource.Address) error {
	return l.change(func(b *batch) error {
		for _, a := range addresses {
			b.remove(classBlocked, a.String())
		}
		return nil
	})
}

// each visits the records of a class at one moment.
func (l *ledger) each(c class, visit func(key, value string) error) error {
	return l.view(func(b *batch) error { return b.engine.each(c, visit) })
}

// Waiting returns the edits the last apply saw and did not carry out.
func (l facts) Waiting(_ context.Context) (*resource.Snapshot, error) { return l.all(classWaiting) }

// RecordWaiting writes them in place of those of before.
func (l facts) RecordWaiting(_ context.Context, waiting *resource.Snapshot) error {
	return l.replaceAll(classWaiting, waiting)
}

// Reverted returns how many applies in a row have written an attribute back.
func (l facts) Reverted(_ context.Context) (*resource.Snapshot, error) { return l.all(classReverted) }

// RecordReverted writes the counts in place of those of before.
func (l facts) RecordReverted(_ context.Context, reverted *resource.Snapshot) error {
	return l.replaceAll(classReverted, reverted)
}

// all returns the resources of a class.
func (l *ledger) all(c class) (*resource.Snapshot, error) {
	s := &resource.Snapshot{}
	err := l.each(c, func(key, value string) error {
		r, err := decodeLast(key, value)
		if err == nil {
			s.Add(r)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read what is %s: %w", c, err)
	}
	return s, nil
}

// replaceAll puts resources in the place of all of a class. Where there are none
// before and after, nothing is written.
func (l *ledger) replaceAll(c class, s *resource.Snapshot) error {
	return l.change(func(b *batch) error {
		err := b.engine.each(c, func(key, _ string) error {
			b.remove(c, key)
			return nil
		})
		if err != nil {
			return err
		}
		for r := range s.All() {
			key, err := addressKey(r.Address)
			if err != nil {
				return err
			}
			value, err := encodeLast(r)
			if err != nil {
				return err
			}
			b.put(c, key, value)
		}
		return nil
	})
}
