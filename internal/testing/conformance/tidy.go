package conformance

import (
	"context"
	"net/http"
)

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
