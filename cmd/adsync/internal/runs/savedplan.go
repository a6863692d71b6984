package runs

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/sources/config"
	"adsync/state"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"
)

// SavedPlan is what a plan was computed from and what it said. Applying it
// computes the plan again; what the file says only narrows that.
type SavedPlan struct {
	Account    AccountDocument   `json:"account"`
	Lineage    string            `json:"lineage"` // of the state; "" where there was none yet
	Revision   *session.Revision `json:"revision,omitempty"`
	InputHash  string            `json:"input_hash"`
	PolicyHash string            `json:"policy_hash"`
	PlanHash   string            `json:"plan_hash"`
	SavedAt    time.Time         `json:"saved_at"`
	ValidUntil time.Time         `json:"valid_until"`
	Allow      []string          `json:"allow"`
	Plan       json.RawMessage   `json:"plan"` // plan.Document
}

// SavePlan writes a plan for apply, readable by its owner alone.
func SavePlan(env *session.Env, file string, l session.Loaded, f PlanFlags,
	agent *reconcile.Agent, desired reconcile.Desired, view *reconcile.View) error {
	out, err := OutputFile(l, "--out", file, f.Force)
	if err == nil {
		err = out.Free()
	}
	if err != nil {
		return err
	}
	key, err := sealKey(env, l.Project, true)
	if err != nil {
		return err
	}
	document, err := view.Plan.MarshalJSON()
	if err != nil {
		return err
	}
	now := agent.Now().UTC().Truncate(time.Second)
	content, err := seal(key, SavedPlan{
		Account: AccountOf(agent.Account), Lineage: agent.Store.Header().Lineage, Revision: session.RevisionOf(env, l),
		InputHash: l.Desired.Hash, PolicyHash: hashOf(desired.Policy), PlanHash: view.Hash(),
		SavedAt: now, ValidUntil: now.Add(PlanLife(env, l.Project)),
		Allow: append([]string{}, f.Allow...), Plan: document,
	})
	if err != nil {
		return err
	}
	if err := renameio.WriteFile(file, content, 0o600); err != nil {
		return console.Configuration("--out: %v", err)
	}
	return nil
}

// SavedArguments takes a saved plan and a folder, in any order. A file that is
// no YAML is a saved plan.
func SavedArguments(c *cobra.Command, args []string) (dir, saved string, err error) {
	var folders []string
	for _, arg := range args {
		about, err := os.Stat(arg)
		if errors.Is(err, fs.ErrNotExist) && len(args) > 1 {
			return "", "", console.Configuration("%s is not there; want a saved plan and a folder", diag.Printable(arg))
		}
		extension := strings.ToLower(filepath.Ext(arg))
		if err == nil && about.Mode().IsRegular() && extension != ".yaml" && extension != ".yml" {
			if saved != "" {
				return "", "", console.Usage(c,
					fmt.Errorf("%s and %s are both files; want one saved plan at most", saved, arg))
			}
			saved = arg
			continue
		}
		folders = append(folders, arg)
	}
	dir, err = console.Folder(c, folders)
	return dir, saved, err
}

// OpenSaved reads the saved plan that apply was given, nil where it was given none.
func OpenSaved(env *session.Env, l session.Loaded, file string, now time.Time) (*SavedPlan, error) {
	if file == "" {
		return nil, nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, console.Configuration("%v", err)
	}
	key, err := sealKey(env, l.Project, false)
	if err != nil {
		return nil, err
	}
	saved, err := unseal(key, content)
	if err != nil {
		return nil, err
	}
	if l.Project.Account.ID != "" && l.Project.Account.ID != saved.Account.ID {
		return nil, stalePlan("it is of account %s, and the files are of %s",
			diag.Printable(saved.Account.ID), diag.Printable(l.Project.Account.ID))
	}
	return saved, saved.inTime(now, PlanLife(env, l.Project))
}

// clockSkew is how far the clock of who saved a plan may be ahead.
const clockSkew = 2 * time.Minute

// inTime holds a saved plan to the shorter of the life it was saved with and
// the life of now.
func (s *SavedPlan) inTime(now time.Time, life time.Duration) error {
	ends := s.SavedAt.Add(life)
	if s.ValidUntil.Before(ends) {
		ends = s.ValidUntil
	}
	switch {
	case now.After(ends):
		return stalePlan("it was saved at %s and was valid until %s",
			s.SavedAt.Format(time.RFC3339), ends.Format(time.RFC3339))
	case s.SavedAt.After(now.Add(clockSkew)):
		return stalePlan("it was saved at %s, which is still to come; look at both clocks",
			s.SavedAt.Format(time.RFC3339))
	}
	return nil
}

// stalePlan is the error of a saved plan of which nothing may be applied.
func stalePlan(format string, args ...any) error {
	return console.ExitWith(console.ExitStale,
		catalogue.Say("ended.stale", "why", fmt.Sprintf(format, args...), "code", string(diag.StalePlan)))
}

// Narrow has the plan of now go no further than the saved one.
func (s *SavedPlan) Narrow(desired *reconcile.Desired) (err error) {
	if s == nil {
		return nil
	}
	desired.Agreed, err = plan.ReadSavedPlan(s.Plan)
	return err
}

// Compare says what the saved plan was computed from and is not any more. The
// state it was computed with must be the state it is applied with.
func Compare(env *session.Env, s *SavedPlan, l session.Loaded,
	agent *reconcile.Agent, desired reconcile.Desired) error {
	if s == nil {
		return nil
	}
	if lineage := agent.Store.Header().Lineage; s.Lineage != "" && s.Lineage != lineage {
		return stalePlan("it was saved with the state of lineage %s, and this one is %s", s.Lineage, lineage)
	}
	var moved []string
	for _, of := range []struct {
		what  string
		moved bool
	}{{"the files", s.InputHash != l.Desired.Hash}, {"the policy", s.PolicyHash != hashOf(desired.Policy)},
		{"the allowances", !slices.Equal(console.Sorted(s.Allow), console.Sorted(allowances(desired)))}} {
		if of.moved {
			moved = append(moved, of.what)
		}
	}
	if len(moved) > 0 {
		env.Note("changed since the plan was saved at %s: %s; what is as it was goes on",
			s.SavedAt.Format(time.RFC3339), strings.Join(moved, ", "))
	}
	return nil
}

func allowances(desired reconcile.Desired) []string {
	var texts []string
	for _, a := range desired.Allow {
		texts = append(texts, a.String())
	}
	return texts
}

// strictly refuses all of a saved plan of which a part moved.
func strictly(p *plan.Plan) error {
	if len(p.Stale) == 0 {
		return nil
	}
	return stalePlan("--strict, and %s since it was saved", diag.Counted(len(p.Stale), "thing moved", "things moved"))
}

func flagsOf(allow []string) string {
	return diag.Printable("--allow " + strings.Join(allow, " --allow "))
}

// compact is JSON without the space that editors and tools add.
func compact(content []byte) ([]byte, error) {
	var b bytes.Buffer
	err := json.Compact(&b, content)
	return b.Bytes(), err
}

// The operator's side of saved plans. Who plans on one machine and applies on
// another returns both the same key.
const (
	envPlanKey     = "ADSYNC_PLAN_KEY"
	envPlanKeyFile = "ADSYNC_PLAN_KEY_FILE"
	envPlanMinutes = "ADSYNC_PLAN_MINUTES"
)

// usualPlanLife is how long a saved plan may wait (design.md section 6).
const usualPlanLife = 30 * time.Minute

// PlanLife follows the operator's environment, and the operator's file and the
// project where they are shorter.
func PlanLife(env *session.Env, p config.Project) time.Duration {
	life := usualPlanLife
	if minutes, err := strconv.Atoi(env.Getenv(envPlanMinutes)); err == nil && minutes > 0 {
		life = min(time.Duration(minutes)*time.Minute, 24*time.Hour)
	}
	o, _ := session.Operator(env, p) // its problems were said when the project was loaded
	for _, said := range []config.Setting{o.Policy.SavedPlanMinutes, p.Policy.SavedPlanMinutes} {
		if minutes, err := strconv.Atoi(said.Value); err == nil {
			life = min(life, time.Duration(minutes)*time.Minute)
		}
	}
	return life
}

// shortestKey is how short a key of the operator's may be.
const shortestKey = 32

// sealKey finds the key saved plans are sealed with: the operator's, else that
// of the state's folder.
func sealKey(env *session.Env, p config.Project, mayMake bool) ([]byte, error) {
	text, from := env.Getenv(envPlanKey), envPlanKey
	if file := env.Getenv(envPlanKeyFile); text == "" && file != "" {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, console.Configuration("%s: %v", envPlanKeyFile, err)
		}
		text, from = string(bytes.TrimSpace(content)), envPlanKeyFile
	}
	if text != "" {
		if len(text) < shortestKey {
			return nil, console.Configuration("%s has %d characters; "+
				"want at least %d random ones, such as those of: openssl rand -hex 32", from, len(text), shortestKey)
		}
		sum := sha256.Sum256([]byte("adsync seal key\n" + text))
		return sum[:], nil
	}
	key, err := state.SealKey(session.BesideOf(env, p), mayMake)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unknownSeal("this state has no key of its own, so no plan was saved here")
	}
	return key, err
}

// sealed is a saved plan as it lies in its file.
type sealed struct {
	FormatVersion int             `json:"format_version"`
	Saved         json.RawMessage `json:"saved"`
	Checksum      string          `json:"checksum"` // SHA-256 of saved without white space: against damage
	Key           string          `json:"key"`      // names the key, and does not give it away
	Seal          string          `json:"seal"`     // HMAC-SHA256 of saved without white space: against edits
}

func seal(key []byte, s SavedPlan) ([]byte, error) {
	saved, err := json.Marshal(s)
	if err == nil {
		saved, err = compact(saved)
	}
	if err != nil {
		return nil, err
	}
	file := sealed{
		FormatVersion: console.FormatVersion, Saved: saved,
		Checksum: checksumOf(saved), Key: nameOfKey(key), Seal: sealOf(key, saved),
	}
	content, err := json.MarshalIndent(file, "", "  ")
	return append(content, '\n'), err
}

// unseal returns what was saved, if it is whole and was sealed with this key.
func unseal(key, content []byte) (*SavedPlan, error) {
	var file sealed
	if err := json.Unmarshal(content, &file); err != nil || file.Checksum == "" {
		return nil, damagedPlan("it is no plan adsync saved, or it is cut off")
	}
	if file.FormatVersion != console.FormatVersion {
		return nil, damagedPlan("its format_version is " +
			strconv.Itoa(file.FormatVersion) + "; want " + strconv.Itoa(console.FormatVersion))
	}
	saved, err := compact(file.Saved)
	if err != nil || checksumOf(saved) != file.Checksum {
		return nil, damagedPlan("its checksum does not fit: it was damaged or edited")
	}
	if file.Key != nameOfKey(key) {
		return nil, unknownSeal("it was sealed with another key")
	}
	if !hmac.Equal([]byte(sealOf(key, saved)), []byte(file.Seal)) {
		return nil, unknownSeal("its seal does not fit: it was edited")
	}
	s := new(SavedPlan)
	if err := json.Unmarshal(saved, s); err != nil {
		return nil, damagedPlan(err.Error())
	}
	return s, nil
}

func damagedPlan(why string) error {
	return console.Configuration("saved plan: %s; plan again (%s)", why, diag.DamagedPlan)
}

// unknownSeal is the error of a plan that was not saved with this state.
func unknownSeal(why string) error {
	return console.ExitWith(console.ExitRefused, "saved plan: "+
		why+"; nothing was changed; plan again with this state, or set "+
		envPlanKey+" where it is saved and where it is applied ("+string(diag.UnknownSeal)+")")
}

func checksumOf(saved []byte) string {
	sum := sha256.Sum256(saved)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func sealOf(key, saved []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("adsync saved plan 1\n"))
	mac.Write(saved)
	return "hmac-sha256:" + hex.EncodeToString(mac.Sum(nil))
}

func nameOfKey(key []byte) string {
	sum := sha256.Sum256(append([]byte("adsync name of a key\n"), key...))
	return hex.EncodeToString(sum[:4])
}

// hashOf names a value by its JSON, in which maps are sorted.
func hashOf(v any) string {
	content, err := json.Marshal(v)
	if err != nil {
		panic("no JSON form: " + err.Error()) // a policy holds numbers, texts and maps of them
	}
	return checksumOf(content)
}
