package errands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// Job is an errand as people see it.
type Job struct {
	ID       int64      `json:"id"`
	Kind     string     `json:"kind"`
	Account  string     `json:"account,omitempty"` // id of the ad account; none is all of them
	Key      string     `json:"key,omitempty"`
	State    string     `json:"state"`
	Tries    int        `json:"tries"`
	Most     int        `json:"most_tries"`
	Created  time.Time  `json:"created"`
	Next     *time.Time `json:"next_try,omitempty"`
	Ended    *time.Time `json:"ended,omitempty"`
	Process  string     `json:"process,omitempty"` // that tried last
	Error    string     `json:"error,omitempty"`   // of the last try
	FailedAt *time.Time `json:"failed_at,omitempty"`
}

// mostListed is how many are listed.
const mostListed = 1000

// List returns the errands of an account, or of all for "": what is open and what was given up, the oldest first; with
// ended also what was done and cancelled.
func (q *Queue) List(ctx context.Context, account string, ended bool) (jobs []Job, err error) {
	states := append([]rivertype.JobState{rivertype.JobStateDiscarded}, open...)
	if ended {
		states = append(states, rivertype.JobStateCompleted, rivertype.JobStateCancelled)
	}
	p := river.NewJobListParams().States(states...).First(mostListed).
		OrderBy(river.JobListOrderByID, river.SortOrderAsc)
	if account != "" {
		p = p.Where("args @> jsonb_build_object('account', @account::text)", river.NamedArgs{"account": account})
	}
	for {
		page, err := q.client.JobList(ctx, p)
		if err != nil {
			return nil, err
		}
		for _, row := range page.Jobs {
			jobs = append(jobs, jobOf(row))
		}
		if len(page.Jobs) < mostListed {
			return jobs, nil
		}
		p = p.After(page.LastCursor)
	}
}

// ErrNoJob is an id that no job has.
var ErrNoJob = errors.New("there is no such job")

// Retry has a job tried now, also one that was given up.
func (q *Queue) Retry(ctx context.Context, id int64) (Job, error) {
	return changed(q.client.JobRetry(ctx, id))
}

// Cancel has a job not tried again.
func (q *Queue) Cancel(ctx context.Context, id int64) (Job, error) {
	return changed(q.client.JobCancel(ctx, id))
}

func changed(row *rivertype.JobRow, err error) (Job, error) {
	if errors.Is(err, rivertype.ErrNotFound) || errors.Is(err, pgx.ErrNoRows) {
		return Job{}, ErrNoJob
	}
	if err != nil {
		return Job{}, fmt.Errorf("change the job: %w", err)
	}
	return jobOf(row), nil
}

func jobOf(row *rivertype.JobRow) Job {
	j := Job{
		ID: row.ID, Kind: row.Kind, State: string(row.State), Tries: row.Attempt, Most: row.MaxAttempts,
		Created: row.CreatedAt.UTC(),
	}
	var a args
	if json.Unmarshal(row.EncodedArgs, &a) == nil {
		j.Account, j.Key = a.Account, a.Key
	}
	if row.FinalizedAt != nil {
		j.Ended = inUTC(*row.FinalizedAt)
	} else if row.State != rivertype.JobStateRunning {
		j.Next = inUTC(row.ScheduledAt)
	}
	if n := len(row.AttemptedBy); n > 0 {
		j.Process = row.AttemptedBy[n-1]
	}
	if n := len(row.Errors); n > 0 {
		j.Error, j.FailedAt = row.Errors[n-1].Error, inUTC(row.Errors[n-1].At)
	}
	return j
}

func inUTC(at time.Time) *time.Time {
	at = at.UTC()
	return &at
}
