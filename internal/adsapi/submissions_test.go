package adsapi

import (
	"context"
	"errors"
	"testing"
	"time"
)

// Who closes the state that counts submissions is told of none any more, and is kept by nobody; a client that only
// reads takes nothing from one that writes.
func TestSubmissionsAreToldToTheStateThatIsOpen(t *testing.T) {
	w := &wire{answers: []answer{{status: 200, body: `{"id":"job_1"}`}}}
	c := clientOf(t, w)
	told := 0
	c.ShareSubmissions(nil, func(context.Context, time.Time) error { told++; return nil })
	c.Reader().ShareSubmissions(nil, func(context.Context, time.Time) error { return errors.New("the reader is told") })
	submit := func() {
		t.Helper()
		if _, err := c.SubmitJob(t.Context(), "k", []byte(`{}`)); err != nil && !errors.Is(err, ErrUnreadable) {
			t.Fatal(err)
		}
	}
	submit()
	if told != 1 {
		t.Errorf("one submission was told %d times; want once", told)
	}
	c.LeaveSubmissions()
	if submit(); told != 1 || c.submissions.telling != nil {
		t.Errorf("a state that was closed is told; want nobody")
	}
}
