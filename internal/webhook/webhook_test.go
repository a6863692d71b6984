package webhook

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"adsync/internal/secret"
)

const shared = "It's a Secret to Everybody" // the one of GitHub's documentation

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// door is a receiver of one account, and what came through it.
type door struct {
	*Receiver
	woken []string
	now   time.Time
	log   bytes.Buffer
}

func newDoor(t testing.TB, hook Hook) *door {
	t.Helper()
	d := &door{now: noon}
	r, err := New(map[string]Hook{"shop": hook}, func(account string) { d.woken = append(d.woken, account) },
		func() time.Time { return d.now }, slog.New(slog.NewTextHandler(&d.log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	d.Receiver = r
	return d
}

// knock sends a request and gives the status and the text of the answer.
func (d *door) knock(path string, body []byte, header ...string) (int, string) {
	r := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func hub(key string, body []byte) string {
	m := hmac.New(sha256.New, []byte(key))
	m.Write(body)
	return "sha256=" + hex.EncodeToString(m.Sum(nil))
}

func example(t testing.TB, name string) []byte {
	t.Helper()
	body, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// The signatures the documentation of each form gives as examples.
func TestPublishedSignatures(t *testing.T) {
	for _, tc := range []struct {
		name   string
		secret string
		body   string
		at     time.Time
		header map[string]string
	}{
		{name: "GitHub", secret: shared, body: "Hello, World!", at: noon, header: map[string]string{
			"X-Hub-Signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"}},
		{name: "Standard Webhooks", secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
			body: `{"test": 2432232314}`, at: time.Unix(1614265330, 0), header: map[string]string{
				"Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "Webhook-Timestamp": "1614265330",
				"Webhook-Signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := http.Header{}
			for name, value := range tc.header {
				h.Set(name, value)
			}
			s := secret.New(tc.secret)
			if _, ok := signed(s, h, []byte(tc.body), tc.at); !ok {
				t.Error("the published signature is refused")
			}
			if _, ok := signed(s, h, []byte(tc.body+" "), tc.at); ok {
				t.Error("it is taken for another body too")
			}
			if _, ok := signed(secret.New(tc.secret+"A"), h, []byte(tc.body), tc.at); ok {
				t.Error("it is taken for another secret too")
			}
		})
	}
}

func standard(key []byte, id string, at time.Time, body []byte) string {
	m := hmac.New(sha256.New, key)
	fmt.Fprintf(m, "%s.%d.%s", id, at.Unix(), body)
	return "v1," + base64.StdEncoding.EncodeToString(m.Sum(nil))
}

func TestWhatWakes(t *testing.T) {
	github, gitlab := example(t, "github-push.json"), example(t, "gitlab-push.json")
	pulled := example(t, "github-pull-request.json")
	tag := []byte(`{"ref":"refs/tags/v1","object_kind":"tag_push"}`)
	stamp := strconv.FormatInt(noon.Unix(), 10)
	const (
		want    = http.StatusAccepted
		merging = `{"object_kind": "merge_request", "object_attributes": {"iid": 7, "target_branch": "main"}}`
		noted   = `{"object_kind": "note", "object_attributes": {"noteable_type": "MergeRequest"},
			"merge_request": {"iid": 7, "target_branch": "main"}}`
		said   = `{"action": "created", "issue": {"number": 7, "pull_request": {"url": "u"}}}`
		review = `{"action": "submitted", "pull_request": {"number": 7, "base": {"ref": "main"}}}`
	)
	for _, tc := range []struct {
		name   string
		branch string
		body   []byte
		header []string
		status int
		wakes  bool
	}{
		{"a push of GitHub", "master", github, []string{"X-GitHub-Event",
			"push", "X-GitHub-Delivery", "d1", "X-Hub-Signature-256", hub(shared, github)}, want, true},
		{"a push to any branch", "", github, []string{"X-GitHub-Event",
			"push", "X-GitHub-Delivery", "d1", "X-Hub-Signature-256", hub(shared, github)}, want, true},
		{"a push to a branch by its full name", "refs/heads/master", github, []string{"X-GitHub-Event",
			"push", "X-GitHub-Delivery", "d1", "X-Hub-Signature-256", hub(shared, github)}, want, true},
		{"a push to another branch by its full name", "refs/heads/main", github, []string{"X-GitHub-Event",
			"push", "X-GitHub-Delivery", "d1", "X-Hub-Signature-256", hub(shared, github)}, want, false},
		{"a push to another branch", "main", github, []string{"X-GitHub-Event",
			"push", "X-GitHub-Delivery", "d1", "X-Hub-Signature-256", hub(shared, github)}, want, false},
		{"a branch that begins alike", "maste", github, []string{"X-GitHub-Event",
			"push", "X-GitHub-Delivery", "d1", "X-Hub-Signature-256", hub(shared, github)}, want, false},
		{"a pull request into the branch", "master", pulled, []string{"X-GitHub-Event",
			"pull_request", "X-GitHub-Delivery", "d1", "X-Hub-Signature-256", hub(shared, pulled)}, want, true},
		{"a pull request into another branch", "main", pulled, []string{"X-GitHub-Event",
			"pull_request", "X-GitHub-Delivery", "d1", "X-Hub-Signature-256", hub(shared, pulled)}, want, false},
		{"a pull request into nothing", "master", github, []string{"X-GitHub-Event", "pull_request",
			"X-GitHub-Delivery", "d1", "X-Hub-Signature-256", hub(shared, github)}, http.StatusBadRequest, false},
		{"a ping of GitHub", "", []byte(`{"zen":"Design for failure."}`),
			[]string{"X-GitHub-Event", "ping", "X-GitHub-Delivery",
				"d1", "X-Hub-Signature-256", hub(shared, []byte(`{"zen":"Design for failure."}`))},
			http.StatusOK, false},
		{"another event of GitHub", "", github, []string{"X-GitHub-Event",
			"issues", "X-GitHub-Delivery", "d1", "X-Hub-Signature-256", hub(shared, github)}, want, false},
		{"without an id", "", github, []string{"X-GitHub-Event", "push", "X-Hub-Signature-256", hub(shared, github)},
			http.StatusBadRequest, false},
		{"signed with another secret", "", github, []string{"X-GitHub-Event", "push",
			"X-GitHub-Delivery", "d1", "X-Hub-Signature-256", hub(shared+"!", github)}, http.StatusUnauthorized, false},
		{"signed in the old form", "", github, []string{"X-GitHub-Event", "push", "X-GitHub-Delivery",
			"d1", "X-Hub-Signature", "sha1=" + strings.Repeat("0", 40)}, http.StatusUnauthorized, false},
		{"not signed", "", github, []string{"X-GitHub-Event", "push", "X-GitHub-Delivery", "d1"},
			http.StatusUnauthorized, false},
		{"signed with nothing", "", github, []string{"X-GitHub-Event",
			"push", "X-GitHub-Delivery", "d1", "X-Hub-Signature-256", "sha256="}, http.StatusUnauthorized, false},
		{"no JSON", "", []byte("ref=refs/heads/main"), []string{"X-GitHub-Event", "push", "X-GitHub-Delivery",
			"d1", "X-Hub-Signature-256", hub(shared, []byte("ref=refs/heads/main"))}, http.StatusBadRequest, false},

		{"a push of GitLab", "master", gitlab,
			[]string{"X-Gitlab-Event", "Push Hook", "X-Gitlab-Event-UUID", "e1", "X-Gitlab-Token", shared}, want, true},
		{"a tag of GitLab", "v1", tag, []string{"X-Gitlab-Event",
			"Tag Push Hook", "X-Gitlab-Event-UUID", "e1", "X-Gitlab-Token", shared}, want, true},
		{"another event of GitLab", "", gitlab, []string{"X-Gitlab-Event",
			"Pipeline Hook", "X-Gitlab-Event-UUID", "e1", "X-Gitlab-Token", shared}, want, false},
		{"a merge request", "main", []byte(merging), []string{"X-Gitlab-Event",
			"Merge Request Hook", "X-Gitlab-Event-UUID", "e1", "X-Gitlab-Token", shared}, want, true},
		{"a merge request into another branch", "next", []byte(merging), []string{"X-Gitlab-Event",
			"Merge Request Hook", "X-Gitlab-Event-UUID", "e1", "X-Gitlab-Token", shared}, want, false},
		{"a merge request into nothing", "", gitlab, []string{"X-Gitlab-Event", "Merge Request Hook",
			"X-Gitlab-Event-UUID", "e1", "X-Gitlab-Token", shared}, http.StatusBadRequest, false},
		{"a note on a merge request", "main", []byte(noted), []string{"X-Gitlab-Event",
			"Note Hook", "X-Gitlab-Event-UUID", "e1", "X-Gitlab-Token", shared}, want, true},
		{"a note on an issue", "", []byte(`{"object_kind": "note", "issue": {"iid": 9}}`), []string{"X-Gitlab-Event",
			"Note Hook", "X-Gitlab-Event-UUID", "e1", "X-Gitlab-Token", shared}, want, false},
		{"a comment on a pull request", "main", []byte(said), []string{"X-GitHub-Event", "issue_comment",
			"X-GitHub-Delivery", "d1", "X-Hub-Signature-256", hub(shared, []byte(said))}, want, true},
		{"a comment on an issue", "", []byte(`{"issue": {"number": 9}}`), []string{"X-GitHub-Event", "issue_comment",
			"X-GitHub-Delivery", "d1", "X-Hub-Signature-256", hub(shared, []byte(`{"issue": {"number": 9}}`))}, want, false},
		{"a review", "main", []byte(review), []string{"X-GitHub-Event", "pull_request_review",
			"X-GitHub-Delivery", "d1", "X-Hub-Signature-256", hub(shared, []byte(review))}, want, true},
		{"an approval of Gitea", "main", []byte(review), []string{"X-GitHub-Event", "pull_request_approved",
			"X-GitHub-Delivery", "d1", "X-Hub-Signature-256", hub(shared, []byte(review))}, want, true},
		{"another token", "", gitlab, []string{"X-Gitlab-Event", "Push Hook",
			"X-Gitlab-Event-UUID", "e1", "X-Gitlab-Token", shared[:len(shared)-1]}, http.StatusUnauthorized, false},
		{"signed by GitLab", "master", gitlab, []string{"X-Gitlab-Event", "Push Hook", "Webhook-Id", "w1",
			"Webhook-Timestamp", stamp, "Webhook-Signature", standard([]byte(shared), "w1", noon, gitlab)}, want, true},
		{"signed by GitLab twice", "master", gitlab,
			[]string{"X-Gitlab-Event", "Push Hook", "Webhook-Id", "w1", "Webhook-Timestamp",
				stamp, "Webhook-Signature", "v1,AAAA v2,x " + standard([]byte(shared), "w1", noon, gitlab)},
			want, true},
		{"signed for another id", "master", gitlab,
			[]string{"X-Gitlab-Event", "Push Hook", "Webhook-Id", "w2", "Webhook-Timestamp",
				stamp, "Webhook-Signature", standard([]byte(shared), "w1", noon, gitlab)},
			http.StatusUnauthorized, false},
		{"signed wrong, with the right token beside it",
			"", gitlab, []string{"X-Gitlab-Event", "Push Hook", "X-Gitlab-Event-UUID",
				"e1", "X-Gitlab-Token", shared, "X-Hub-Signature-256", "sha256=00"}, http.StatusUnauthorized, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := newDoor(t, Hook{Secret: secret.New(shared), Branch: tc.branch})
			status, text := d.knock("/hooks/shop", tc.body, tc.header...)
			if status != tc.status || (len(d.woken) == 1) != tc.wakes {
				t.Errorf("answer %d, woken %q; want %d, woken: %t", status, d.woken, tc.status, tc.wakes)
			}
			if text != http.StatusText(tc.status)+"\n" {
				t.Errorf("the answer says %q; want its status alone", text)
			}
		})
	}
}

// TestExamplesOfGitHub: the payloads that people gave as examples (npm's @octokit/webhooks-examples 7.6.1, MIT) wake an
// account of their branch, master, where they are about a push to it or a pull request into it, and no other.
func TestExamplesOfGitHub(t *testing.T) {
	var all []struct {
		Event   string
		Payload json.RawMessage
	}
	if err := json.Unmarshal(example(t, "github-examples.json"), &all); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for i, one := range all {
		var of struct{ Action, Ref string }
		if err := json.Unmarshal(one.Payload, &of); err != nil {
			t.Fatal(err)
		}
		said := fmt.Sprint(one.Event, " ", of.Action, of.Ref)
		for _, branch := range []string{"master", "main"} {
			d := newDoor(t, Hook{Secret: secret.New(shared), Branch: branch})
			status := d.tell(one.Event, fmt.Sprint(i), string(one.Payload))
			got[said] += fmt.Sprintf("%s: %d, %d woken; ", branch, status, len(d.woken))
		}
	}
	const (
		wakes = "master: 202, 1 woken; main: 202, 0 woken; "
		not   = "master: 202, 0 woken; main: 202, 0 woken; "
	)
	want := map[string]string{
		"push refs/heads/master": wakes, "push refs/tags/simple-tag": not,
		"pull_request opened": wakes, "pull_request synchronize": wakes, "pull_request closed": wakes,
		"pull_request_review submitted": wakes, "pull_request_review dismissed": wakes,
		"issue_comment created": not, "issue_comment edited": not, "issue_comment deleted": not, // of issues
		"ping ": "master: 200, 0 woken; main: 200, 0 woken; ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what they do (-want +got):\n%s", diff)
	}
}

// push tells of a push of its own.
func (d *door) push(id string) int {
	return d.tell("push", id, fmt.Sprintf(`{"ref":"refs/heads/main","after":%q}`, id))
}

func (d *door) tell(event, id, body string) int {
	status, _ := d.knock("/hooks/shop", []byte(body), "X-GitHub-Event",
		event, "X-GitHub-Delivery", id, "X-Hub-Signature-256", hub(shared, []byte(body)))
	return status
}

// Whoever kept a delivery, or may push to other branches, sends as much as they like: no push to the branch waits.
func TestReplaysAndOtherBranchesTakeNoPushItsPlace(t *testing.T) {
	const old = `{"ref":"refs/heads/main","after":"old"}`
	for name, floods := range map[string]func(d *door, i int) int{
		"a delivery, again":          func(d *door, _ int) int { return d.tell("push", "d1", old) },
		"one under other ids":        func(d *door, i int) int { return d.tell("push", fmt.Sprint("d", i), old) },
		"pushes to another branch":   func(d *door, i int) int { return d.tell("push", fmt.Sprint(i), fmt.Sprintf(`{"ref":"x%d"}`, i)) },
		"pushes that name no branch": func(d *door, i int) int { return d.tell("push", fmt.Sprint(i), fmt.Sprint(`{"n":`, i, `}`)) },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDoor(t, Hook{Secret: secret.New(shared), Branch: "main"})
			d.tell("push", "d1", old)
			for i := range 5 * perMinute {
				floods(d, i)
			}
			if status := d.push("new"); status != http.StatusAccepted || len(d.woken) != 2 {
				t.Errorf("a push after them: %d, and the account is woken %d times; want 202, 2", status, len(d.woken))
			}
			if lines := strings.Count(d.log.String(), "\n"); lines > 2*perMinute {
				t.Errorf("the log has %d lines of it; want at most %d", lines, 2*perMinute)
			}
		})
	}
}

// X13: a delivery wakes once, however often somebody sends it, and under whichever id: GitHub signs the body alone.
func TestReplayWakesOnce(t *testing.T) {
	d := newDoor(t, Hook{Secret: secret.New(shared)})
	for range 3 {
		if status := d.push("d1"); status != http.StatusAccepted {
			t.Errorf("answer %d; want 202", status)
		}
	}
	d.tell("push", "another id", `{"ref":"refs/heads/main","after":"d1"}`)
	d.push("d2")
	if len(d.woken) != 2 {
		t.Errorf("woken %d times by two deliveries; want 2", len(d.woken))
	}
	d.now = d.now.Add(remember - time.Minute)
	if d.push("d1"); len(d.woken) != 2 {
		t.Errorf("woken once more within %s", remember)
	}
	gitlab := []byte(`{"ref":"refs/heads/main"}`)
	old := strconv.FormatInt(noon.Unix(), 10)
	if status, _ := d.knock("/hooks/shop", gitlab,
		"X-Gitlab-Event", "Push Hook", "Webhook-Id", "w1", "Webhook-Timestamp",
		old, "Webhook-Signature", standard([]byte(shared), "w1", noon, gitlab)); status != http.StatusUnauthorized {
		t.Errorf("a signature of long ago: %d; want 401", status)
	}
}

func TestMemoryOfDeliveriesIsBounded(t *testing.T) {
	var s seen
	for i := range 3 * mostIDs {
		s.add(strconv.Itoa(i), noon)
	}
	if len(s.at) != mostIDs || len(s.order) != mostIDs {
		t.Errorf("%d ids are kept, in order %d; want %d", len(s.at), len(s.order), mostIDs)
	}
	if s.add("last", noon.Add(2*remember)); len(s.at) != 1 {
		t.Errorf("%d ids are kept after %s; want the last alone", len(s.at), 2*remember)
	}
}

// X13: who does not know the secret cannot tell which accounts there are, and is
// told nothing.
func TestUnknownAccountsAnswerAlike(t *testing.T) {
	d := newDoor(t, Hook{Secret: secret.New(shared)})
	body := []byte(`{"ref":"refs/heads/main"}`)
	known, said := d.knock("/hooks/shop", body, "X-Hub-Signature-256", hub("wrong", body))
	unknown, saidToo := d.knock("/hooks/other", body, "X-Hub-Signature-256", hub("wrong", body))
	if known != http.StatusUnauthorized || unknown != known || said != saidToo {
		t.Errorf("answers %d %q and %d %q; want 401 alike", known, said, unknown, saidToo)
	}
	if strings.Contains(d.log.String(), "wrong") || strings.Contains(d.log.String(), "other") {
		t.Errorf("the log repeats what strangers say:\n%s", &d.log)
	}
}

func TestRequestsAreBounded(t *testing.T) {
	d := newDoor(t, Hook{Secret: secret.New(shared)})
	large := bytes.Repeat([]byte(" "), maxBody+1)
	if status, _ := d.knock("/hooks/shop", large, "X-Hub-Signature-256",
		hub(shared, large)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a body of %d bytes: %d; want 413", len(large), status)
	}
	for i := range perMinute {
		if status := d.push(fmt.Sprint(i)); status != http.StatusAccepted {
			t.Fatalf("request %d: %d; want 202", i, status)
		}
	}
	if status := d.push("one more"); status != http.StatusTooManyRequests {
		t.Errorf("request %d within a moment: %d; want 429", perMinute+1, status)
	}
	d.now = d.now.Add(time.Second)
	if status := d.push("a second later"); status != http.StatusAccepted {
		t.Errorf("a second later: %d; want 202", status)
	}
	w := httptest.NewRecorder()
	if d.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/hooks/shop", nil)); w.Code != http.StatusMethodNotAllowed ||
		w.Header().Get("Allow") != "POST" {
		t.Errorf("GET: %d; want 405", w.Code)
	}
}

// Whoever may open a pull request can have GitHub tell of it as often as they like: that wakes the account a few times,
// and no push waits for it.
func TestPullRequestsTakeNoPushItsPlace(t *testing.T) {
	d := newDoor(t, Hook{Secret: secret.New(shared)})
	for i := range 5 * perMinute {
		d.tell("pull_request", fmt.Sprint("renamed ", i), fmt.Sprintf(`{"number":%d,"pull_request":{"base":{"ref":"main"}}}`, i))
		d.tell("issue_comment", fmt.Sprint("said ", i), fmt.Sprintf(`{"issue":{"number":%d}}`, i))
	}
	woken := len(d.woken)
	if woken == 0 || woken > ofOthers {
		t.Errorf("pull requests wake the account %d times within a moment; want some, and at most %d", woken, ofOthers)
	}
	if status := d.push("a push"); status != http.StatusAccepted || len(d.woken) != woken+1 {
		t.Errorf("a push after them: %d, and it is woken %d times; want 202, %d", status, len(d.woken), woken+1)
	}
}

// X13: a stranger's flood shuts nobody out, tells which accounts there are by no
// answer, and fills no disk with the log.
func TestAFloodOfStrangersShutsNobodyOut(t *testing.T) {
	d := newDoor(t, Hook{Secret: secret.New(shared)})
	body := []byte(`{"ref":"refs/heads/main"}`)
	for i := range 20 * perMinute {
		known, _ := d.knock("/hooks/shop", body, "X-Hub-Signature-256", hub("wrong", body))
		unknown, _ := d.knock("/hooks/other", body, "X-Hub-Signature-256", hub("wrong", body))
		if known != unknown || known != http.StatusUnauthorized {
			t.Fatalf("request %d: %d for an account there is, %d for another; want 401 for both", i, known, unknown)
		}
	}
	if lines := strings.Count(d.log.String(), "\n"); lines > perMinute {
		t.Errorf("the log has %d lines of strangers within a moment; want at most %d", lines, perMinute)
	}
	if status := d.push("d1"); status != http.StatusAccepted || len(d.woken) != 1 {
		t.Errorf("a push in the middle of it: %d, woken %q; want it heard", status, d.woken)
	}
}

func TestAShortSecretIsRefusedAndNotShown(t *testing.T) {
	if _, err := New(map[string]Hook{"shop": {Secret: secret.New("short")}}, nil, nil, nil); err == nil ||
		strings.Contains(err.Error(), "short;") {
		t.Errorf("New with a short secret = %v; want an error without it", err)
	}
}

// FuzzBody: whatever is sent and signed right, the answer is one of a few, and
// only a push with a ref wakes.
func FuzzBody(f *testing.F) {
	f.Add([]byte(`{"ref":"refs/heads/main"}`), "push", "d1")
	f.Add([]byte(`{"ref":`), "ping", "")
	f.Add([]byte(`{"ref":1}`), "Push Hook", strings.Repeat("x", 300))
	f.Fuzz(func(t *testing.T, body []byte, event, id string) {
		d := newDoor(t, Hook{Secret: secret.New(shared), Branch: "main"})
		for _, header := range [][]string{
			{"X-GitHub-Event", event, "X-GitHub-Delivery", id, "X-Hub-Signature-256", hub(shared, body)},
			{"X-Gitlab-Event", event, "X-Gitlab-Event-UUID", id, "X-Gitlab-Token", shared},
		} {
			before := len(d.woken)
			status, _ := d.knock("/hooks/shop", body, header...)
			switch status {
			case http.StatusOK, http.StatusAccepted, http.StatusBadRequest, http.StatusRequestEntityTooLarge:
			default:
				t.Errorf("answer %d", status)
			}
			if len(d.woken) > before && (!bytes.Contains(body, []byte("ef")) || id == "") {
				t.Errorf("%q woke", body)
			}
		}
	})
}
