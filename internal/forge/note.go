package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Note is said at a line of a file, as the head of a pull request has it.
type Note struct {
	Path string // from the top of the repository
	Line int
	Text string
}

// Notes has something stand at lines of pull requests.
type Notes interface {
	// Annotate has these notes stand at a pull request, and no other of this user that begins with the mark, a line.
	// Left out are those at lines that the diff does not show, and those beyond 50. Asked again it completes what it
	// did not end. It is ErrRefused where asking again does not help.
	Annotate(ctx context.Context, p Pull, mark string, notes []Note) error
}

// ErrRefused says that the forge does not do what it is asked, for want of a right, or of what it is about.
var ErrRefused = errors.New("the forge refuses it")

// refused is ErrRefused where an answer says so.
func refused(answer *http.Response, err error) error {
	limit := new(LimitError)
	if err == nil || answer == nil || errors.As(err, &limit) {
		return err
	}
	switch answer.StatusCode {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity:
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return err
}

// noted are notes of this user that stand at a pull request, and can be erased together.
type noted struct {
	id     int64
	notes  []Note // where they stand now; Line is 0 where the head does not show it
	others bool   // somebody answered
	each   []int64
}

// annotator does of Notes what each forge does in its own way. Texts have the mark before them.
type annotator interface {
	// noted returns the notes of this user that begin with a mark.
	noted(ctx context.Context, p Pull, mark string) ([]noted, error)
	// shown returns what the diff shows, by path.
	shown(ctx context.Context, p Pull) (map[string]lines, error)
	note(ctx context.Context, p Pull, notes []Note, shown map[string]lines) error
	// erase takes notes away, and nothing that somebody else wrote.
	erase(ctx context.Context, p Pull, n noted) error
	// sent is a text as the forge is given it.
	sent(text string) string
}

// mostNotes is how many notes a pull request has of an account at most.
const mostNotes = 50

func annotate(ctx context.Context, f annotator, p Pull, mark string, notes []Note) error {
	there, err := f.noted(ctx, p, mark)
	if err != nil {
		return err
	}
	shown := map[string]lines{}
	if len(notes) > 0 {
		if shown, err = f.shown(ctx, p); err != nil {
			return err
		}
	}
	var want []Note
	for _, n := range notes {
		if _, is := shown[n.Path].at[n.Line]; is && len(want) < mostNotes {
			n.Text = f.sent(mark + "\n" + n.Text)
			want = append(want, n)
		}
	}
	for _, old := range there {
		left := slices.Clone(want)
		kept := !slices.ContainsFunc(old.notes, func(n Note) bool {
			at := slices.IndexFunc(left, n.is)
			if at >= 0 {
				left = slices.Delete(left, at, at+1)
			}
			return at < 0
		})
		if kept {
			want = left
			continue
		}
		if err := f.erase(ctx, p, old); err != nil {
			return err
		}
	}
	if len(want) == 0 {
		return nil
	}
	return f.note(ctx, p, want, shown)
}

// is reports whether a note says the same at the same line. Forges trim what they are given.
func (n Note) is(other Note) bool {
	text := func(t string) string { return strings.TrimSpace(strings.ReplaceAll(t, "\r\n", "\n")) }
	return n.Path == other.Path && n.Line == other.Line && text(n.Text) == text(other.Text)
}
