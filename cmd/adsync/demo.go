package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/daemoncmd"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/emulator"

	"github.com/spf13/cobra"
)

// demo is an account with a past on an emulator, and a daemon with a page that keeps it equal to files.
type demo struct {
	env       *session.Env
	listen    string
	folder    string
	noBrowser bool

	service string // address of the emulator
	token   string // of the page
}

// What the account of the demo is, and since when its ads run.
const (
	demoAccount = "adacct_demo"
	demoKey     = "sk-demo"
	demoDays    = 60
)

func demoCommand(env *session.Env) *cobra.Command {
	d := demo{env: env}
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show all of adsync on this machine: an account with a past, a daemon and its page",
		Long: `Start an emulator of the service with an account of 30 campaigns that have run for 60 days, a daemon that keeps it
equal to files in a folder, and its page. A raise of a budget waits for approval, an ad was rejected, and a budget was
changed both in the files and outside. Edit the files and look at the page. Nothing leaves this machine.`,
		Example: `  adsync demo --no-browser --listen 127.0.0.1:0`,
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return d.run(c) },
	}
	c.Flags().StringVar(&d.listen, "listen", daemoncmd.DefaultListen, "loopback address of the page")
	c.Flags().StringVar(&d.folder, "folder", "adsync-demo", "folder to make for the files; it must not be there")
	c.Flags().BoolVar(&d.noBrowser, "no-browser", false, "only print the address of the page")
	return c
}

func (d *demo) run(c *cobra.Command) error {
	if err := loopbackOnly(d.listen); err != nil {
		return console.Usage(c, err)
	}
	for _, name := range []string{d.folder, d.operator()} {
		if _, err := os.Lstat(name); err == nil {
			return console.Configuration("--folder: %s is there already; remove it, or name another folder", name)
		}
	}
	since := time.Now().AddDate(0, 0, -demoDays)
	lag := time.Since(since)
	server, err := emulator.Open(emulator.Options{
		Accounts: []emulator.Account{{ID: demoAccount, Name: "Outdoor shop", Currency: "USD",
			TimeZone: "America/New_York", Key: demoKey, Features: emulator.AllFeatures()}},
		Now: func() time.Time { return time.Now().Add(-lag) },
	})
	if err != nil {
		return fmt.Errorf("start the emulator: %w", err)
	}
	defer func() { session.Closed(d.env, "emulator", server.Close()) }()
	if d.listen, err = freeAddress(d.listen); err != nil {
		return console.Configuration("--listen: %v", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(c.Context())
	served := make(chan error, 1)
	go func() { served <- serve(ctx, server, listener) }()
	defer func() { cancel(); <-served }()
	d.service = "http://" + listener.Addr().String()
	if err := d.makePast(ctx, lag); err != nil {
		return err
	}
	d.token = rand.Text()
	fmt.Fprintf(d.env.Out, "The page:    http://%s\nThe token:   %s (to approve there)\nThe files:   %s\n"+
		"The service: %s (an emulator, of which nothing is kept)\nEnd with Ctrl-C.\n",
		d.listen, d.token, d.folder, d.service)
	if !d.noBrowser {
		go d.open(ctx)
	}
	err = d.adsync(ctx, d.env.Err, "daemon", "--listen", d.listen, d.folder)
	if ctx.Err() != nil { // it was told to end
		return nil
	}
	return err
}

// operator is the operator's file, beside the folder: within it the daemon would watch what watches it.
func (d *demo) operator() string { return filepath.Clean(d.folder) + ".operator.yaml" }

// freeAddress is an address with a port that is free where it names none.
func freeAddress(address string) (string, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// makePast applies the files as they were at first, lets their ads run, and then changes what waits in the demo.
func (d *demo) makePast(ctx context.Context, lag time.Duration) error {
	if err := d.write(""); err != nil {
		return err
	}
	d.env.Note("an account of %d campaigns is made, with a past of %d days", len(demoNames), demoDays)
	var said bytes.Buffer
	if err := d.adsync(ctx, &said, "apply", "--yes", d.folder); err != nil {
		return fmt.Errorf("apply the files of the demo: %w\n%s", err, said.String())
	}
	if err := d.ask(ctx, http.MethodPost, "/_emulator/clock",
		map[string]any{"advance_seconds": lag.Seconds()}, nil); err != nil {
		return err
	}
	var found struct{ Data []struct{ ID, Name string } }
	if err := d.ask(ctx, http.MethodGet, "/v1/campaigns?limit=100", nil, &found); err != nil {
		return err
	}
	for _, campaign := range found.Data {
		if campaign.Name != demoNames[1] {
			continue
		}
		if err := d.ask(ctx, http.MethodPost, "/v1/campaigns/"+url.PathEscape(campaign.ID),
			map[string]any{"budget": map[string]any{"daily_spend_limit_micros": 70_000_000}}, nil); err != nil {
			return err
		}
	}
	return d.write("changed")
}

// ask sends a request to the emulator.
func (d *demo) ask(ctx context.Context, method, path string, body, into any) error {
	content, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, method, d.service+path, bytes.NewReader(content))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+demoKey)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	switch {
	case answer.StatusCode >= http.StatusBadRequest:
		return fmt.Errorf("the emulator answers %s to %s %s", answer.Status, method, path)
	case into == nil:
		return nil
	}
	return json.NewDecoder(answer.Body).Decode(into)
}

// adsync runs a command of adsync on the emulator, as a process of its own.
func (d *demo) adsync(ctx context.Context, said io.Writer, args ...string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, program, args...)
	// A terminal would interrupt it, too, and the second interrupt ends it in the middle.
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 30 * time.Second
	c.Env = append(os.Environ(), session.EnvBaseURL+"="+d.service+"/v1", session.EnvKey+"="+demoKey,
		session.EnvOperator+"="+d.operator(), daemoncmd.EnvDaemonToken+"="+d.token)
	c.Stdout, c.Stderr = said, said
	return c.Run()
}

// open shows the page in the browser, once it answers.
func (d *demo) open(ctx context.Context) {
	page := "http://" + d.listen + "/accounts/" + url.PathEscape(filepath.Base(d.folder))
	for ctx.Err() == nil {
		if answer, err := http.Get("http://" + d.listen + "/healthz"); err == nil {
			answer.Body.Close()
			break
		}
		if session.Sleep(ctx, 200*time.Millisecond) != nil {
			return
		}
	}
	open, err := console.Browser()
	if err == nil {
		err = open(page)
	}
	if err != nil && ctx.Err() == nil {
		d.env.Note("no browser was opened (%s): open %s", console.OneLine(err), page)
	}
}

// demoNames are the campaigns of the account.
var demoNames = []string{
	"Hiking boots", "Trail shoes", "Rain coats", "Down jackets", "Tents", "Sleeping bags",
	"Backpacks", "Climbing ropes", "Harnesses", "Head lamps", "Stoves", "Water bottles",
	"Maps and guides", "Ski touring", "Snow shoes", "Running vests", "Swimming", "Kayaks",
	"Bike bags", "Bike lights", "Fishing rods", "Camp chairs", "Cool boxes", "Base layers",
	"Wool socks", "Gloves", "Sun glasses", "First aid", "Gift cards", "Summer sale",
}

// write writes the files, as they were at first or as they are changed.
func (d *demo) write(changed string) error {
	if err := os.MkdirAll(filepath.Join(d.folder, "images"), 0o755); err != nil {
		return err
	}
	files := map[string][]byte{"adsync.yaml": []byte("# What adsync demo shows: edit the files beside this one.\n" +
		"account: {id: " + demoAccount + ", currency: USD, timezone: America/New_York}\n")}
	for i, name := range demoNames {
		key := strings.ReplaceAll(strings.ToLower(name), " ", "-")
		picture, err := demoPicture(i)
		if err != nil {
			return err
		}
		files["images/"+key+".png"] = picture
		files[key+".yaml"] = []byte(demoCampaign(i, key, name, changed != ""))
	}
	failed := os.WriteFile(d.operator(), []byte("# The operator's limits, which no file of the account can loosen.\n"+
		"policy: {max_daily_exposure: 3000}\n"), 0o644)
	for name, content := range files {
		failed = errors.Join(failed, os.WriteFile(filepath.Join(d.folder, filepath.FromSlash(name)), content, 0o644))
	}
	return failed
}

func demoCampaign(i int, key, name string, changed bool) string {
	budget := 20 + 5*(i%9)
	if changed && i < 2 { // of the first a raise waits; the second was changed outside, too
		budget *= 4 - 2*i
	}
	var b strings.Builder
	fmt.Fprintf(&b, "kind: campaign\nkey: %s\nname: %s\nstatus: active\nbidding_type: clicks\nbudget: {daily: %d}\n"+
		"targeting: {countries: [US]}\nad_groups:\n", key, name, budget)
	for g, people := range []string{"New customers", "Regulars"} {
		fmt.Fprintf(&b, "  - key: %s-%d\n    name: %s\n    status: active\n    bid: {max: 0.%d0}\n"+
			"    context_hints: [people who ask for %s]\n    ads:\n", key, g, people, 6+g+i%3, strings.ToLower(name))
		for a, promise := range []string{"that last", "for less"} {
			target := fmt.Sprintf("https://shop.example/%s?ad=%d%d", key, g, a)
			if i == 2 && g+a == 2 { // the emulator rejects it for this reason
				target = "https://shop.example/review/crawler_404/" + key
			}
			fmt.Fprintf(&b, "      - key: %s-%d-%d\n        name: %s %s\n        status: active\n"+
				"        title: %s %s\n        body: Chosen by people who are outside all year.\n"+
				"        target_url: %s\n        image: images/%s.png\n",
				key, g, a, name, promise, name, promise, target, key)
		}
	}
	return b.String()
}

// demoPicture is a square of two colours.
func demoPicture(i int) ([]byte, error) {
	const side = 640
	m := image.NewRGBA(image.Rect(0, 0, side, side))
	for y := range side {
		for x := range side {
			m.Set(x, y, color.RGBA{uint8(i * 83), uint8(y * 255 / side), uint8(255 - i*47), 255})
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, m)
	return b.Bytes(), err
}
