package page

import (
	"cmp"
	"net/http"
	"slices"

	"adsync/internal/emulator/world"
)

const rowsAPage = 100

type jobsView struct {
	Jobs  []jobRow
	Pager pager
}

type jobRow struct {
	world.Job
	Address string
}

// jobs shows the account's bulk jobs, newest first.
func (p *Page) jobs(r *http.Request) (view, bool, error) {
	return p.inAccount(r, func(a *world.Account) (view, bool) {
		rows := a.Jobs.All()
		slices.Reverse(rows)
		rows, pages := cut(rows, r, rowsAPage)
		v := jobsView{Pager: pages}
		for _, job := range rows {
			v.Jobs = append(v.Jobs, jobRow{job, addressOf(a.ID, "jobs", job.ID)})
		}
		return view{Template: "jobs", Title: "Bulk jobs", Trail: trail(a), Content: v}, true
	})
}

type jobView struct {
	Job     jobRow
	Counts  []statusCount
	Results []world.JobResult
	Pager   pager
}

// job shows a job with the results its operations have so far.
func (p *Page) job(r *http.Request) (view, bool, error) {
	return p.inAccount(r, func(a *world.Account) (view, bool) {
		job, ok := a.Jobs.Get(r.PathValue("job_id"))
		if !ok {
			return view{}, false
		}
		results := a.ResultsOf.Of(job.ID)
		slices.SortFunc(results, func(x, y world.JobResult) int { return cmp.Compare(x.Index, y.Index) })
		v := jobView{Job: jobRow{job, addressOf(a.ID, "jobs", job.ID)}, Counts: resultCounts(results)}
		v.Results, v.Pager = cut(results, r, rowsAPage)
		above := append(trail(a), link{"Bulk jobs", addressOf(a.ID, "jobs")})
		return view{Template: "job", Title: job.ID, Trail: above, Content: v}, true
	})
}

func resultCounts(results []world.JobResult) []statusCount {
	var all []statusCount
	for _, name := range []string{"created", "updated", "validated", "failed", "skipped"} {
		n := 0
		for _, result := range results {
			if result.Status == name {
				n++
			}
		}
		if n > 0 {
			all = append(all, statusCount{Name: name, Count: n})
		}
	}
	return all
}

type requestsView struct {
	Requests []Request
	Pager    pager
}

// requests shows the request log, newest first.
func (p *Page) requests(r *http.Request) (view, bool, error) {
	rows := p.source.Requests()
	slices.Reverse(rows)
	var v requestsView
	v.Requests, v.Pager = cut(rows, r, rowsAPage)
	return view{Template: "requests", Title: "Requests", Trail: []link{top}, Content: v}, true, nil
}
