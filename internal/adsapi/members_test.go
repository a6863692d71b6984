package adsapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

const operationAnswer = `{"operation_id":"caudop_1","custom_audience_id":"caud_1","operation":"add","status":"processing"}`

func TestUploadOfPeopleSaysNothingOfTheirFile(t *testing.T) {
	var name, purpose, path, got string
	c, _ := serving(t, func(w http.ResponseWriter, r *http.Request) {
		file, header, err := r.FormFile("file")
		if err != nil {
			respond(w, 400, `{"error":"no file"}`)
			return
		}
		content, _ := io.ReadAll(file)
		name, purpose, path, got = header.Filename, r.FormValue("purpose"), r.URL.Path, string(content)
		respond(w, 200, `{"file_id":"oaisdmntci_1"}`)
	})
	file, err := c.UploadMembers(t.Context(), []byte("aa\nbb\n"))
	if err != nil || file != (MembersFile{"oaisdmntci_1", "members.txt", "text/plain", 6}) {
		t.Fatalf("UploadMembers = %+v, %v", file, err)
	}
	if name != "members.txt" || purpose != "custom_audience" || path != "/v1/uploads" || got != "aa\nbb\n" {
		t.Errorf("the service saw %q with the purpose %q at %s: %q", name, purpose, path, got)
	}
}

// An upload that was cut off, or whose answer was, is sent again, the same bytes, a
// bounded number of times.
func TestACutUploadGoesAgain(t *testing.T) {
	file := answer{status: 200, body: `{"file_id":"f"}`}
	for _, cut := range []answer{reset, truncated, html, status(503), {err: errors.New("broken pipe")}} {
		for label, upload := range map[string]func(*Client) error{
			"image": func(c *Client) error {
				_, err := c.Upload(context.Background(), "a.png", []byte("x"), "")
				return err
			},
			"address": func(c *Client) error {
				_, err := c.UploadURL(context.Background(), "https://x.example/a.png", "")
				return err
			},
			"people": func(c *Client) error {
				_, err := c.UploadMembers(context.Background(), []byte("aa\n"))
				return err
			},
		} {
			synctest.Test(t, func(t *testing.T) {
				w := &wire{answers: []answer{cut, cut, file}}
				err := upload(clientOf(t, w))
				sent := w.requests()
				if err != nil || len(sent) != 3 || sent[0].body != sent[2].body || !sent[2].at.After(sent[0].at) {
					t.Errorf("%s: %v after %d requests; want the same bytes three times, later and later",
						label, err, len(sent))
				}
			})
			synctest.Test(t, func(t *testing.T) {
				w := &wire{answers: []answer{cut}}
				if err := upload(clientOf(t, w)); AppliedOf(err) != Unknown || len(w.requests()) != 6 {
					t.Errorf("%s: %v after %d requests; want it unknown after 6", label, err, len(w.requests()))
				}
			})
		}
	}
}

// A6: the required key goes with the request, and every repetition is the same.
func TestA6MembershipOperationGoesAgainUnderItsKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wire{answers: []answer{{err: io.ErrUnexpectedEOF}, {status: 503}, {status: 200, body: operationAnswer}}}
		o, err := clientOf(t, w).ChangeMembers(t.Context(), Mutation{
			Path: "/custom_audiences/caud_1/add", Key: "k", Body: []byte(`{"file_id":"f"}`),
		})
		if err != nil || o != (MemberOperation{"caudop_1", "caud_1", "add", "processing"}) || o.Ended() {
			t.Fatalf("ChangeMembers = %+v, %v", o, err)
		}
		for _, s := range w.requests() {
			if s.key != "k" || s.body != `{"file_id":"f"}` {
				t.Errorf("sent %q under %q; want the same bytes under the same key", s.body, s.key)
			}
		}
	})
}

func TestA6MembershipOperationWithoutAKeyIsNotSent(t *testing.T) {
	w := &wire{answers: []answer{{status: 200, body: operationAnswer}}}
	_, err := clientOf(t, w).ChangeMembers(t.Context(), Mutation{Path: "/custom_audiences/caud_1/add"})
	if !errors.Is(err, errInvalidRequest) || AppliedOf(err) != Never || len(w.requests()) != 0 {
		t.Errorf("ChangeMembers without a key = %v, %d requests; want none", err, len(w.requests()))
	}
}

// A7: resume has neither a key nor a body (interface, part 4).
func TestA7ResumeHasNeitherKeyNorBody(t *testing.T) {
	w := &wire{answers: []answer{{status: 200, body: operationAnswer}}}
	if _, err := clientOf(t, w).ResumeMembers(t.Context(), "caud_1", "caudop_1"); err != nil {
		t.Fatal(err)
	}
	s := w.requests()[0]
	if s.key != "" || s.body != "" || !strings.HasSuffix(s.url, "/custom_audiences/caud_1/operations/caudop_1/resume") {
		t.Errorf("resume sent %q under %q to %s; want nothing under no key", s.body, s.key, s.url)
	}
}

func TestMembershipAnswersThatAreNone(t *testing.T) {
	for _, body := range []string{`{}`, `{"operation_id":""}`, `{"operation_id":"other"}`, `[]`} {
		w := &wire{answers: []answer{{status: 200, body: body}}}
		if _, err := clientOf(t, w).MemberOperation(t.Context(), "caud_1", "caudop_1"); !errors.Is(err, ErrUnreadable) {
			t.Errorf("MemberOperation answered %s = %v; want unreadable", body, err)
		}
	}
}

func TestMembershipOperationsArePagedToTheEnd(t *testing.T) {
	w := &wire{answers: []answer{
		{status: 200, body: `{"data":[` + operationAnswer + `],"has_more":true,"next_cursor":"c1"}`},
		{status: 200, body: `{"data":[],"has_more":true,"next_cursor":"c2"}`},
		{status: 200, body: `{"data":[` + strings.ReplaceAll(operationAnswer, "caudop_1", "caudop_2") +
			`],"has_more":false,"next_cursor":null}`},
	}}
	all, err := clientOf(t, w).MemberOperations(t.Context(), "caud_1")
	var ids []string
	for _, o := range all {
		ids = append(ids, o.ID)
	}
	if diff := cmp.Diff([]string{"caudop_1", "caudop_2"}, ids); err != nil || diff != "" {
		t.Errorf("MemberOperations: %v (-want +got):\n%s", err, diff)
	}
	w = &wire{answers: []answer{{status: 200, body: `{"data":[],"has_more":true,"next_cursor":"c1"}`}}}
	if _, err := clientOf(t, w).MemberOperations(t.Context(), "caud_1"); !errors.Is(err, ErrUnreadable) {
		t.Errorf("MemberOperations of a list without end = %v; want unreadable", err)
	}
}

// What audiences are good for is judged by one policy on all pages of all answers.
func TestUsableAudiencesAreJudgedByOnePolicy(t *testing.T) {
	policy := strings.Repeat("a", 64)
	page := func(id string, more bool) answer {
		return answer{status: 200, body: fmt.Sprintf(
			`{"data":[{"id":%q}],"has_more":%t,"last_id":%q,"policy_revision":%q}`, id, more, id, policy)}
	}
	w := &wire{answers: []answer{page("caud_1", true), page("caud_2", false), page("caud_3", false)}}
	ids := make([]string, maxAudienceIDs+1)
	for i := range ids {
		ids[i] = fmt.Sprintf("caud_%d", i)
	}
	got, by, err := UsableAudiences(t.Context(), clientOf(t, w), "inclusion", ids, "")
	if diff := cmp.Diff([]string{"caud_1", "caud_2", "caud_3"}, got); err != nil || diff != "" || by != policy {
		t.Errorf("UsableAudiences: by %q, %v (-want +got):\n%s", by, err, diff)
	}
	var asked []string
	for _, s := range w.requests() {
		u, err := url.Parse(s.url)
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		asked = append(asked, fmt.Sprintf("%s after %q, %d ids, policy %.1q",
			q.Get("intended_use"), q.Get("after"), len(q["custom_audience_ids[]"]), q.Get("policy_revision")))
	}
	if diff := cmp.Diff([]string{
		`inclusion after "", 100 ids, policy ""`, `inclusion after "caud_1", 100 ids, policy "a"`,
		`inclusion after "", 1 ids, policy "a"`,
	}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	w = &wire{answers: []answer{{status: 409, body: `{"error":{"message":"m","code":"` + policyMoved + `"}}`}}}
	_, _, err = UsableAudiences(t.Context(), clientOf(t, w), "exclusion", nil, policy)
	if !errors.Is(err, ErrPolicyMoved) {
		t.Errorf("UsableAudiences by a policy of before = %v; want ErrPolicyMoved", err)
	}
}
