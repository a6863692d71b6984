package sim

import (
	"bytes"
	"encoding/json"
	"strings"

	"adsync/internal/testing/oracle"
)

const otherBody = "idempotency_conflict"

// conflicts notes which keys of creates an answer says are known with another
// body: of a single request at once, of a job where its results are read.
func (w *world) conflicts(n *oracle.Request, body []byte) {
	id, results, _ := strings.Cut(strings.TrimPrefix(n.Path, "/bulk_mutation_jobs/"), "/")
	switch {
	case n.Method == "POST" && n.Path == "/bulk_mutation_jobs":
		var job struct {
			ID string `json:"id"`
		}
		if json.Unmarshal(body, &job) == nil && job.ID != "" {
			w.jobs[job.ID] = n
		}
	case n.Method == "POST" && n.Status == 409 && n.Key != "" && bytes.Contains(body, []byte(otherBody)):
		n.Conflicts = append(n.Conflicts, n.Key)
		w.count("key of another's create")
	case results != "" && w.jobs[id] != nil && bytes.Contains(body, []byte(otherBody)):
		w.conflictsInJob(w.jobs[id], body)
	}
}

func (w *world) conflictsInJob(job *oracle.Request, body []byte) {
	var page struct {
		Data []struct {
			ID   string `json:"operation_id"`
			Code string `json:"error_code"`
		} `json:"data"`
	}
	var sent struct {
		Operations []struct {
			ID  string `json:"operation_id"`
			Key string `json:"idempotency_key"`
		} `json:"operations"`
	}
	if json.Unmarshal(body, &page) != nil || json.Unmarshal(job.Content, &sent) != nil {
		return
	}
	for _, result := range page.Data {
		for _, o := range sent.Operations {
			if result.Code == otherBody && o.ID == result.ID && o.Key != "" {
				job.Conflicts = append(job.Conflicts, o.Key)
				w.count("key of another's create in a job")
			}
		}
	}
}
