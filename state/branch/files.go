package branch

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"adsync/state"
)

// format is the layout of the files this program writes, and the newest it reads.
const format = 1

// headName is the file that names all others.
const headName = "head.json"

// head says what a commit of the branch holds.
type head struct {
	Format  int     `json:"format"`
	Branch  string  `json:"branch"`
	Account string  `json:"account"`
	Serial  int64   `json:"serial"` // rises by one with every push
	After   string  `json:"after"`  // the commit it follows; "" for the first
	Lock    *holder `json:"lock,omitempty"`

	State stateHead             `json:"state"`
	Files map[string]signedFile `json:"files"`
	MAC   string                `json:"mac,omitempty"` // of all that is above
}

// stateHead is the header of the state.
type stateHead struct {
	Format   int    `json:"format"`
	Lineage  string `json:"lineage"`
	Serial   int64  `json:"serial"`
	Account  string `json:"account,omitempty"`
	Currency string `json:"currency,omitempty"`
	TimeZone string `json:"timezone,omitempty"`
	Records  int    `json:"records"`
}

// signedFile is what the head knows of a file.
type signedFile struct {
	Serial int64  `json:"serial"` // of the push that wrote it
	MAC    string `json:"mac"`
}

// title is the first line of a file.
type title struct {
	File    string `json:"file"`
	Branch  string `json:"branch"`
	Account string `json:"account"`
	Serial  int64  `json:"serial"`
	MAC     string `json:"mac"`
}

// holder says which run has the account.
type holder struct {
	Owner   string    `json:"owner"` // drawn by the run
	Host    string    `json:"host"`
	PID     int       `json:"pid"`
	Job     string    `json:"job,omitempty"` // of the pipeline, as its host names it
	Command string    `json:"command,omitempty"`
	Version string    `json:"version,omitempty"`
	Since   time.Time `json:"since"`
	Expires time.Time `json:"expires"`
}

// String returns `run 1f2e3d4c, process 7 on host (adsync apply, https://…/runs/7), since …, until … at the latest`.
func (l holder) String() string {
	return fmt.Sprintf("run %s, process %d on %s (%s), since %s, until %s at the latest", l.Owner, l.PID, l.Host,
		strings.Trim(l.Command+", "+l.Job, ", "), l.Since.Format(time.RFC3339), l.Expires.Format(time.RFC3339))
}

// errForged is a file that somebody else wrote, or wrote for another branch, account or push.
var errForged = errors.New("the key of the state did not sign it, or another key is given")

// signer signs with the key of the apply environment.
type signer []byte

// sign returns the MAC of a text about a file, "" without a key.
func (s signer) sign(about title, body []byte) string {
	if len(s) == 0 {
		return ""
	}
	about.MAC = ""
	mac := hmac.New(sha256.New, s)
	_ = json.NewEncoder(mac).Encode(about) // a hash takes whatever it is given
	_, _ = mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

func (s signer) signed(about title, body []byte) bool {
	return hmac.Equal([]byte(s.sign(about, body)), []byte(about.MAC))
}

// bodies are the files of a state without their titles, by name.
type bodies map[string][]byte

// oneFileEach are the classes whose records have files of their own: they are long, and most of them never change.
var oneFileEach = map[string]bool{"body": true, "operations": true, "report": true}

// fileOf is where a record is: in the file of its class, in one of its own, or in one of several. The journal has a
// file a run, as what a run did never changes once it is over; the keys that were sent, which only become more, have
// sixteen.
func fileOf(r state.Row) string {
	switch {
	case oneFileEach[r.Class]:
		return r.Class + "/" + url.PathEscape(r.Key) + ".json"
	case r.Class == "step":
		run, _, _ := strings.Cut(r.Key, "/")
		return r.Class + "/" + url.PathEscape(run) + ".ndjson"
	case r.Class == "key":
		return fmt.Sprintf("%s/%x.ndjson", r.Class, sha256.Sum256([]byte(r.Key))[0]>>4)
	}
	return r.Class + ".ndjson"
}

// bodiesOf writes records as lines.
func bodiesOf(rows []state.Row) (bodies, error) {
	files := bodies{}
	slices.SortFunc(rows, func(a, b state.Row) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Key, b.Key))
	})
	for _, row := range rows {
		name := fileOf(row)
		line, err := row.Line()
		if err != nil {
			return nil, err
		}
		files[name] = append(append(files[name], line...), '\n')
	}
	return files, nil
}

// rows reads them again.
func (f bodies) rows() (rows []state.Row, err error) {
	for _, name := range slices.Sorted(maps.Keys(f)) {
		class, _, _ := strings.Cut(strings.TrimSuffix(name, ".ndjson"), "/")
		for line := range bytes.Lines(f[name]) {
			row, err := state.ParseRow(class, bytes.TrimSuffix(line, []byte("\n")))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// snapshot is what one commit of the branch holds.
type snapshot struct {
	commit string
	head   head
	bodies bodies
}

// next makes the files of the push after a snapshot: those that change, and nothing in the place of those that go.
func (b *Branch) next(
	before snapshot, h state.Header, rows []state.Row, lock *holder) (snapshot, map[string][]byte, error) {
	at := h.Account
	after := snapshot{head: head{
		Format: format, Branch: b.Name, Account: b.Account,
		Serial: before.head.Serial + 1, After: before.commit, Lock: lock,
		State: stateHead{h.Format, h.Lineage, h.Serial, at.ID, at.Currency, at.TimeZone, len(rows)},
		Files: map[string]signedFile{},
	}}
	var err error
	if after.bodies, err = bodiesOf(rows); err != nil {
		return after, nil, err
	}
	changed := map[string][]byte{}
	for name, body := range after.bodies {
		if known, there := before.head.Files[name]; there && bytes.Equal(before.bodies[name], body) {
			after.head.Files[name] = known
			continue
		}
		about := title{File: name, Branch: b.Name, Account: b.Account, Serial: after.head.Serial}
		about.MAC = b.Key.sign(about, body)
		after.head.Files[name] = signedFile{about.Serial, about.MAC}
		first, err := json.Marshal(about)
		if err != nil {
			return after, nil, err
		}
		changed[name] = slices.Concat(first, []byte("\n"), body)
	}
	for name := range before.head.Files {
		if _, stays := after.bodies[name]; !stays {
			changed[name] = nil
		}
	}
	changed[headName], err = b.Key.sealHead(&after.head)
	return after, changed, err
}

// relocked is the push after a snapshot that changes the lock and nothing else.
func (b *Branch) relocked(before snapshot, lock *holder) (snapshot, map[string][]byte, error) {
	after := before
	after.commit = ""
	after.head.Serial, after.head.After, after.head.Lock = before.head.Serial+1, before.commit, lock
	content, err := b.Key.sealHead(&after.head)
	return after, map[string][]byte{headName: content}, err
}

// sealHead writes a head with its MAC.
func (s signer) sealHead(h *head) ([]byte, error) {
	h.MAC = ""
	text, err := json.MarshalIndent(h, "", " ")
	if err != nil {
		return nil, err
	}
	h.MAC = s.sign(title{File: headName, Branch: h.Branch, Account: h.Account, Serial: h.Serial}, text)
	text, err = json.MarshalIndent(h, "", " ")
	return append(text, '\n'), err
}

// read takes the files of a commit for a snapshot. With a key it refuses what the key did not sign.
func (b *Branch) read(commit, parent string, files map[string][]byte) (snapshot, error) {
	s := snapshot{commit: commit, bodies: bodies{}}
	text := files[headName]
	if err := json.Unmarshal(text, &s.head); err != nil {
		return s, b.damaged("%s cannot be read", headName)
	}
	h := &s.head
	switch {
	case h.Format > format:
		return s, fmt.Errorf("%w: %s has files of format %d; want at most %d: use the adsync that wrote it, "+
			"or a newer one", state.ErrNewer, b, h.Format, format)
	case h.Branch != b.Name:
		return s, b.damaged("it is the record of the branch %q", h.Branch)
	case h.Account != b.Account:
		return s, fmt.Errorf("%w: %s has the record of %s; want a branch of its own for %s",
			state.ErrForeign, b, h.Account, b.Account)
	case h.After != parent:
		return s, b.damaged("its last commit %.12s follows %.12s, and was made to follow %.12s: "+
			"somebody else put it there", commit, cmp.Or(parent, "nothing"), cmp.Or(h.After, "nothing"))
	}
	if len(b.Key) > 0 {
		mac := h.MAC
		if again, err := b.Key.sealHead(h); err != nil || !bytes.Equal(again, text) || mac == "" {
			return s, b.damaged("%s: %w", headName, errForged)
		}
	}
	for name, known := range h.Files {
		first, body, ok := bytes.Cut(files[name], []byte("\n"))
		var about title
		if !ok || json.Unmarshal(first, &about) != nil {
			return s, b.damaged("%s is missing, or cannot be read", name)
		}
		want := title{File: name, Branch: b.Name, Account: b.Account, Serial: known.Serial, MAC: known.MAC}
		if about != want {
			return s, b.damaged("%s is of push %d, and %s names that of push %d: "+
				"an older or another file was put there", name, about.Serial, headName, known.Serial)
		}
		if len(b.Key) > 0 && !b.Key.signed(about, body) {
			return s, b.damaged("%s: %w", name, errForged)
		}
		s.bodies[name] = body
	}
	return s, nil
}

// damaged says what is wrong with the branch, and what to do.
func (b *Branch) damaged(why string, args ...any) error {
	return fmt.Errorf("%w: %s: %w; see who pushed there, and put the branch back to the last commit adsync made, "+
		"or take the branch away and run adsync state begin, then adsync apply --allow adopt",
		state.ErrDamaged, b, fmt.Errorf(why, args...))
}

// rowsOf are the records of a snapshot, all of them.
func (b *Branch) rowsOf(s snapshot) (h state.Header, rows []state.Row, err error) {
	at := s.head.State
	h = state.Header{Format: at.Format, Lineage: at.Lineage, Serial: at.Serial,
		Account: state.Account{ID: at.Account, Currency: at.Currency, TimeZone: at.TimeZone}}
	if rows, err = s.bodies.rows(); err != nil {
		return h, nil, b.damaged("%w", err)
	}
	if len(rows) != at.Records {
		return h, nil, b.damaged("it has %d records, and %s says %d", len(rows), headName, at.Records)
	}
	return h, rows, nil
}
