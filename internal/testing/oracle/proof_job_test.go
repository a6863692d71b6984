package oracle

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const soundJob = `{"operations": [
	{"operation_id": "1", "type": "campaign.create", "idempotency_key": "a", "input": {"name": "c"}},
	{"operation_id": "2", "type": "ad_group.create", "idempotency_key": "b", "input": {"campaign_idempotency_key": "a"}},
	{"operation_id": "3", "type": "ad.create", "idempotency_key": "c", "input": {"campaign_idempotency_key": "a", "ad_group_idempotency_key": "b"}},
	{"operation_id": "4", "type": "ad.update", "target_resource_id": "ad_1", "input": {}},
	{"operation_id": "5", "type": "ad.update", "target_resource_id": "ad_2", "input": {}}]}`

// Every word of invariant 17, each with a job that goes against it alone.
func TestEveryLimitOfAJobIsSeen(t *testing.T) {
	for what, spoil := range map[string]func(*History){
		"a job without operations": func(h *History) {
			h.Requests[3].Content = []byte(`{"operations": []}`)
		},
		"a job that is cut off":     func(h *History) { h.job(`{}}]}`, `{}}`) },
		"a job of 1,001 operations": func(h *History) { h.Requests[3].Content = updates(1001) },
		"a job of over 16 MiB": func(h *History) {
			h.job(`]}`, `]}`+strings.Repeat(" ", mostBody))
		},
		"an operation of over 512 KiB": func(h *History) {
			h.job(`"name": "c"`, `"name": "`+strings.Repeat("c", mostOperation)+`"`)
		},
		"an operation over it by what goes around": func(h *History) {
			h.job(`"name": "c"`, `"name": "`+strings.Repeat("c", mostOperation-50)+`"`)
		},
		"an id that stands twice": func(h *History) {
			h.job(`"operation_id": "2"`, `"operation_id": "1"`)
		},
		"an operation without an id": func(h *History) { h.job(`"operation_id": "2", `, ``) },
		"a key that stands twice": func(h *History) {
			h.job(`"idempotency_key": "c",`, `"idempotency_key": "b",`)
		},
		"a create without a key": func(h *History) { h.job(`"idempotency_key": "c", `, ``) },
		"a key of 256 bytes": func(h *History) {
			h.job(`"idempotency_key": "c"`, `"idempotency_key": "`+strings.Repeat("c", 256)+`"`)
		},
		"two updates of one resource": func(h *History) { h.job(`"ad_2"`, `"ad_1"`) },
		"an update with a key": func(h *History) {
			h.job(`"target_resource_id": "ad_2"`, `"target_resource_id": "ad_2", "idempotency_key": "d"`)
		},
		"a parent that is not in the job": func(h *History) {
			h.job(`{"campaign_idempotency_key": "a"}`, `{"campaign_idempotency_key": "z"}`)
		},
		"a parent of another kind": func(h *History) {
			h.job(`"ad_group_idempotency_key": "b"`, `"ad_group_idempotency_key": "a"`)
		},
		"an ad that names another campaign": func(h *History) {
			h.job(`"campaign_idempotency_key": "a", "ad_group`, `"campaign_idempotency_key": "b", "ad_group`)
		},
		"a parent after its child": parentLast,
		"an operation that is none": func(h *History) {
			h.job(`"type": "campaign.create"`, `"type": "campaign.make"`)
		},
		"eleven jobs of one agent, most of them refused": func(h *History) {
			h.refused(h.jobs(11, 999*time.Millisecond, 1))
		},
		"eleven jobs of two agents": func(h *History) { h.jobs(11, 999*time.Millisecond, 0, 1) },
	} {
		refuses(t, 17, what, spoil)
	}
	h := sound()
	h.jobs(30, time.Second, 1)
	h.refused(h.jobs(30, time.Second/2, 0, 1))
	if err := BatchLegality(h); err != nil {
		t.Errorf("ten jobs in ten seconds: %v", err)
	}
}

// job replaces text in the job.
func (h *History) job(old, with string) {
	replaced := strings.Replace(string(h.Requests[3].Content), old, with, 1)
	if replaced == string(h.Requests[3].Content) {
		panic("the job has no " + old)
	}
	h.Requests[3].Content = []byte(replaced)
}

func parentLast(h *History) {
	lines := strings.SplitAfter(soundJob, "\n")
	lines[1], lines[2] = lines[2], lines[1]
	h.Requests[3].Content = []byte(strings.Join(lines, ""))
}

func updates(n int) []byte {
	operations := make([]string, n)
	for i := range operations {
		operations[i] = fmt.Sprintf(`{"operation_id": `+
			`"%d", "type": "ad.update", "target_resource_id": "ad_%[1]d", "input": {}}`, i)
	}
	return []byte(`{"operations": [` + strings.Join(operations, ",") + `]}`)
}

// jobs has agents take turns at sending as many jobs, one every so often, an hour
// after the last, each by a process of its own.
func (h *History) jobs(n int, every time.Duration, agents ...int) []*Request {
	first := h.Requests[len(h.Requests)-1].At.Add(time.Hour)
	for i := range n {
		next := *h.Requests[3]
		next.N, next.At, next.Agent, next.Process = len(h.Requests)+1,
			first.Add(time.Duration(i)*every), agents[i%len(agents)], len(h.Requests)+1
		h.Requests = append(h.Requests, &next)
	}
	return h.Requests[len(h.Requests)-n:]
}

func (h *History) refused(requests []*Request) {
	for _, r := range requests {
		r.Status = 429
	}
}
