package people

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/state"

	"github.com/spf13/cobra"
)

// Audience returns the command adsync audience.
func Audience(env *session.Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "audience",
		Short: "Show audiences, and the operations on who is in them",
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(list(env), show(env), operations(env), act(env, cancelling), act(env, resuming))
	return c
}

// collection is the path of audiences.
const collection = "custom_audiences"

// Document is the JSON form of the commands of audiences.
type Document struct {
	FormatVersion int `json:"format_version"`
	// Policy is the rules of the service by which the uses are judged, "" where they were not asked for.
	Policy    string `json:"policy_revision"`
	Audiences []Row  `json:"audiences"`
}

// Row is one audience. The counts are ranges, in the service's words.
type Row struct {
	Address     string      `json:"address"` // "" where adsync has applied none
	ID          string      `json:"id"`
	Name        string      `json:"name"`
	State       string      `json:"state"`
	Users       string      `json:"matched_users"`
	Identifiers string      `json:"matched_identifiers"`
	Uploaded    string      `json:"uploaded_identifiers"`
	Invalid     string      `json:"invalid_identifiers"`
	Revision    int64       `json:"membership_revision"`
	Uses        []string    `json:"uses"`       // what the service takes it for
	Operations  []Operation `json:"operations"` // on who is in it, where they were asked for
}

// Operation is an operation on who is in an audience.
type Operation struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	Status string `json:"status"`
	// Run is the run of adsync that sent it and has not seen it end, "" where it is none of those.
	Run string `json:"run"`
}

// account is what the commands read: the service, and what adsync recorded of it.
type account struct {
	service *adsapi.Client
	last    *resource.Snapshot
	open    []state.Step
}

// read opens the account for reading only.
func read(ctx context.Context, env *session.Env, s *session.Session, dir string) (*account, error) {
	project, err := session.ProjectOf(env, dir)
	if err != nil {
		return nil, err
	}
	store, err := session.OpenState(ctx, env, project, true)
	if err != nil {
		return nil, err
	}
	defer func() { session.Closed(env, "state", store.Close()) }()
	service, err := session.Dial(env, s, project, adsapi.Config{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	return recorded(ctx, store, service)
}

func recorded(ctx context.Context, store state.Store, service *adsapi.Client) (*account, error) {
	last, err := store.Last(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the last-applied record: %w", err)
	}
	open, err := store.Open(ctx)
	if err != nil {
		return nil, fmt.Errorf("read what earlier runs left open: %w", err)
	}
	return &account{service, last, open}, nil
}

// named is the audience that a command is about.
type named struct {
	dir     string
	address resource.Address
	id      string
}

// name reads the arguments: a folder, and the address of one audience in place of --id.
func name(c *cobra.Command, args []string, id string) (named, error) {
	dir, picks, err := session.Addressed(c, args)
	if err != nil {
		return named{}, err
	}
	n := named{dir: dir, id: id}
	switch {
	case len(picks) == 1 && id == "" && hasPeople(picks[0].Address):
		n.address = picks[0].Address
	case len(picks) == 0 && id != "":
	default:
		return n, console.Usage(c, errors.New("want the address of one audience, such as audience/customers; "+
			"or --id and the service's id, for one that is in no file"))
	}
	return n, nil
}

func hasPeople(at resource.Address) bool { return session.Schemas().Of(at.Kind).Membership != nil }

// find fills in the id of an address, or the address of an id.
func (a *account) find(n *named) error {
	if n.id != "" {
		n.address = a.addressOf(n.id)
		return nil
	}
	if r := a.last.Get(n.address); r != nil {
		n.id = r.ID
	}
	if n.id == "" {
		return console.Configuration("%s was not applied; want one of adsync audience list, or --id",
			diag.Printable(n.address.String()))
	}
	return nil
}

// said is how an audience is called in what is printed and recorded.
func (n named) said() string {
	if n.address.IsZero() {
		return n.id
	}
	return n.address.String()
}

func (a *account) addressOf(id string) resource.Address {
	for r := range a.last.All() {
		if r.ID == id && hasPeople(r.Address) {
			return r.Address
		}
	}
	return resource.Address{}
}

// rowOf reads an audience from its record.
func (a *account) rowOf(record adsapi.Record) (Row, error) {
	var wire struct {
		Name        string `json:"name"`
		State       string `json:"status"`
		Users       string `json:"matched_user_count_range"`
		Identifiers string `json:"matched_identifier_count_range"`
		Uploaded    string `json:"uploaded_identifier_count_range"`
		Invalid     string `json:"invalid_identifier_count_range"`
		Revision    int64  `json:"membership_revision"`
	}
	if err := json.Unmarshal(record.JSON, &wire); err != nil {
		return Row{}, fmt.Errorf("read audience %s: %w", diag.Printable(record.ID), err)
	}
	address := ""
	if at := a.addressOf(record.ID); !at.IsZero() {
		address = at.String()
	}
	return Row{address, record.ID, wire.Name, wire.State, wire.Users, wire.Identifiers, wire.Uploaded, wire.Invalid,
		wire.Revision, []string{}, []Operation{}}, nil
}

// uses are what an audience can be used for, in the service's words.
var uses = []string{"inclusion", "exclusion", "bid_multiplier"}

// policyTries is how often the uses are asked for anew as the service's rules changed in between.
const policyTries = 3

// judge asks what the service takes the audiences for, all by the same rules.
func (a *account) judge(ctx context.Context, d *Document, ids []string) error {
	for try := 1; ; try++ {
		err := a.judgeOnce(ctx, d, ids)
		if !errors.Is(err, adsapi.ErrPolicyMoved) || try == policyTries {
			return err
		}
	}
}

func (a *account) judgeOnce(ctx context.Context, d *Document, ids []string) error {
	d.Policy = ""
	for i := range d.Audiences {
		d.Audiences[i].Uses = []string{}
	}
	for _, use := range uses {
		usable, policy, err := adsapi.UsableAudiences(ctx, a.service, use, ids, d.Policy)
		if err != nil {
			return fmt.Errorf("ask which audiences are good for %s: %w", use, err)
		}
		d.Policy = policy
		for i := range d.Audiences {
			if row := &d.Audiences[i]; slices.Contains(usable, row.ID) {
				row.Uses = append(row.Uses, use)
			}
		}
	}
	return nil
}

// granular asks for finer ranges of counts, where they are wanted.
func granular(finer bool) url.Values {
	if !finer {
		return nil
	}
	return url.Values{"matched_count_granularity": {"granular"}}
}

// operationsOn lists the operations on an audience, newest first as the service has them.
func (a *account) operationsOn(ctx context.Context, id string) ([]Operation, error) {
	all, err := a.service.MemberOperations(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("list the operations: %w", err)
	}
	rows := []Operation{}
	for _, o := range all {
		rows = append(rows, Operation{o.ID, o.Kind, o.Status, a.runOf(o.ID)})
	}
	return rows, nil
}

// runOf returns the run that sent an operation and has not seen it end.
func (a *account) runOf(operation string) string {
	i := slices.IndexFunc(a.open, func(s state.Step) bool {
		return s.Route == state.Membership && s.JobID == operation
	})
	if i < 0 {
		return ""
	}
	return a.open[i].Run
}
