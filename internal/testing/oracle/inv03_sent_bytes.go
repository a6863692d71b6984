package oracle

import (
	"encoding/json"
	"fmt"
	"strings"
)

// IntentBeforeWire is invariant 3. What makes an operation that was accepted go on
// has neither bytes nor a key, and does nothing twice.
func IntentBeforeWire(h *History) error {
	for _, r := range h.Requests {
		if r.Mutates() && !r.Journalled && !strings.HasSuffix(r.Path, "/resume") {
			return fmt.Errorf("request %d (POST %s, key %q) was sent before the journal held it", r.N, r.Path, r.Key)
		}
	}
	return nil
}

// operation is one of a bulk job, as far as it is judged here.
type operation struct {
	ID     string          `json:"operation_id"`
	Type   string          `json:"type"`
	Key    string          `json:"idempotency_key"`
	Target string          `json:"target_resource_id"`
	Input  json.RawMessage `json:"input"`
}

// operations reads a job's body; nil of every other request.
func (r *Request) operations() []operation {
	if r.Path != jobsPath {
		return nil
	}
	var body struct {
		Operations []operation `json:"operations"`
	}
	_ = json.Unmarshal(r.Content, &body) // what is no job has no operations
	return body.Operations
}

const jobsPath = "/bulk_mutation_jobs"

// SameKeySameBytes is invariant 4: for the header of every request, and for the
// keys of the operations in jobs. Two agents with a state each share the keys of
// creates, so that the service can tell that they mean the same. So does one whose state
// forgot what it had sent.
func SameKeySameBytes(h *History) error {
	if h.Forgot {
		return nil
	}
	bodies, inputs := map[string]*Request{}, map[string]operation{}
	for _, r := range h.Requests {
		if r.Method != "POST" || r.Key == "" {
			continue
		}
		name := fmt.Sprintf("%d %s\n%s", r.Agent, r.Path, r.Key)
		if first := bodies[name]; first != nil && first.Body != r.Body {
			return fmt.Errorf("key %q went with one body in request %d and another in request %d (POST %s):\n%s\n%s",
				r.Key, first.N, r.N, r.Path, first.Content, r.Content)
		}
		bodies[name] = r
		for _, o := range r.operations() {
			if o.Key == "" {
				continue
			}
			name := fmt.Sprintf("%d %s", r.Agent, o.Key)
			if first, sent := inputs[name]; sent && string(first.Input) != string(o.Input) {
				return fmt.Errorf("operation key %q went with two inputs:\n%s\n%s", o.Key, first.Input, o.Input)
			}
			inputs[name] = o
		}
	}
	return nil
}
