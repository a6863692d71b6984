package oracle

import (
	"encoding/json"
	"fmt"
	"strings"
)

// UnknownStaysUnknown is invariant 5: after a write whose answer did not come,
// the resource is read, or the same bytes go again, before anything newer does.
func UnknownStaysUnknown(h *History) error {
	unknown := map[string]*Request{} // by agent and id
	for _, r := range h.Requests {
		if r.Method == "GET" {
			for name, lost := range unknown {
				if lost.Agent == r.Agent && r.covers(lost) {
					delete(unknown, name)
				}
			}
			continue
		}
		for _, id := range r.targets() {
			name := fmt.Sprintf("%d %s", r.Agent, id)
			lost := unknown[name]
			if r.Mutates() && lost != nil && (lost.Body != r.Body || lost.Path != r.Path) &&
				!lost.Answered.After(r.At) {
				return fmt.Errorf("request %d (POST %s) goes to %s while the outcome of request %d (POST %s, status "+
					"%d) is unknown and nothing was read since", r.N, r.Path, id, lost.N, lost.Path, lost.Status)
			}
			delete(unknown, name)
			if r.Mutates() && r.lost() && !r.Late { // what comes late nobody waits for any more
				unknown[name] = r
			}
		}
	}
	return nil
}

// lost reports whether nobody knows what became of a request.
func (r *Request) lost() bool {
	return !r.Answered.IsZero() && (r.Status == 0 || r.Status >= 500 || r.Status == 408 || r.Status < 300 && !r.Whole)
}

// targets are the ids of what an update, or the updates of a job, write to.
func (r *Request) targets() []string {
	if r.Path == jobsPath {
		var ids []string
		for _, o := range r.operations() {
			if o.Target != "" {
				ids = append(ids, o.Target)
			}
		}
		return ids
	}
	parts := strings.Split(strings.TrimPrefix(r.Path, "/"), "/")
	switch {
	case strings.HasPrefix(r.Path, writtenAt["daily_spend_limit"]):
		return r.dailyTarget()
	case strings.HasPrefix(r.Path, limitsPath):
		return parts[2:min(3, len(parts))]
	case len(parts) < 2 || parts[0] == "conversions" || parts[1] == "merge": // creates
		return nil
	}
	return parts[1:2]
}

// dailyTarget is the rule a write of the daily limits names, none where it makes one.
func (r *Request) dailyTarget() []string {
	var body struct {
		ID string `json:"window_id"`
	}
	if json.Unmarshal(r.Content, &body) != nil || body.ID == "" {
		return nil
	}
	return []string{body.ID}
}

// covers reports whether a read shows what became of a write.
func (r *Request) covers(lost *Request) bool {
	collection, rest, _ := strings.Cut(strings.TrimPrefix(r.Path, "/"), "/")
	if strings.HasPrefix(jobsPath, "/"+collection) || lost.Path == jobsPath {
		return true
	}
	if strings.Contains(lost.Path, "spend_limit") {
		return r.Path == limitsPath
	}
	id, _, _ := strings.Cut(rest, "/")
	return strings.HasPrefix(lost.Path, "/"+collection) && (id == "" || pathNames(lost.Path, id))
}

func pathNames(path, id string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == id {
			return true
		}
	}
	return false
}
