// Package openid logs in at adsync's page by a provider that is not ours, with a browser that runs no script. It is a
// module of its own, so that adsync needs none of the provider.
package openid

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
)

const (
	repository = "../../.."
	secret     = "drawn for this client: 51b2e0"
	mail       = "test-user@zitadel.ch" // of the provider's first user
	patience   = 2 * time.Minute
)

// The provider is at another site than the page, as in a company: the page's own cookie is strict, and the one of the
// login under way is not.
func TestABrowserLogsIn(t *testing.T) {
	page := free(t)
	redirect := fmt.Sprintf("http://localhost:%d/login/openid/answer", page)
	issuer := provide(t, redirect)
	d := start(t, page, issuer)
	root := fmt.Sprintf("http://localhost:%d", page)
	b := open(t)

	b.visit(root + "/accounts/shop?show=all")
	b.says("Log in at 127.0.0.1:")
	b.click(`a[href^="/login/openid"]`)
	b.logInAs("test-user@127.0.0.1")
	b.wait(`location.href === ` + fmt.Sprintf("%q", root+"/accounts/shop?show=all&done=login"))
	b.says("(approver)")
	b.click(`a[href="/sessions"]`)
	b.says("at 127.0.0.1:")
	b.says("(this browser)")

	// A link of another site, such as a mail has it, finds who is logged in.
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<a href="%s/accounts/shop">a change waits</a>`, root)
	}))
	defer elsewhere.Close()
	b.visit(elsewhere.URL)
	b.click("a")
	b.wait(`location.href === ` + fmt.Sprintf("%q", root+"/accounts/shop"))
	b.says("(approver)")

	b.click(`form[action="/logout"] button`)
	b.says("You are logged out.")
	b.visit(root + "/accounts/shop")
	b.says("Log in at 127.0.0.1:")
	b.visit(root + "/login?done=logout")
	b.click(`a[href*="client_id=adsync"]`)
	b.wait(`location.host.startsWith("127.0.0.1")`)

	b.visit(root + "/login")
	b.click(`a[href^="/login/openid"]`)
	b.logInAs("test-user2")
	b.says("No role is given to test-user2@zitadel.ch")

	said := d.stop()
	for _, hidden := range []string{secret, "verysecure", "code=", "id_token", "eyJ", "state="} {
		if strings.Contains(said, hidden) {
			t.Errorf("the log has %q in it:\n%s", hidden, said)
		}
	}
	if !strings.Contains(said, "somebody logged in") || !strings.Contains(said, "no role is given") {
		t.Errorf("the log does not say who logged in, and who was refused:\n%s", said)
	}
}

// free returns a port that the kernel gives nobody by itself: another test would have it before the daemon does.
func free(t *testing.T) int {
	t.Helper()
	for range 100 {
		port := 20_000 + rand.IntN(12_000)
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			noError(t, l.Close())
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

// provide starts the provider, and returns its issuer.
func provide(t *testing.T, redirect string) string {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	issuer := "http://" + server.Listener.Addr().String() + "/"
	storage.RegisterClients(storage.WebClient("adsync", secret, redirect))
	server.Config.Handler = exampleop.SetupServer(issuer, storage.NewStorage(storage.NewUserStore(issuer)),
		slog.New(slog.DiscardHandler), false)
	server.Start()
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return issuer
}

// daemon is adsync, and what it logs.
type daemon struct {
	c     *exec.Cmd
	mu    sync.Mutex
	said  strings.Builder
	ended chan struct{}
}

// start builds adsync, and starts its daemon for an account on its own emulator.
func start(t *testing.T, port int, issuer string) *daemon {
	t.Helper()
	home := t.TempDir()
	program := filepath.Join(home, "adsync")
	build := exec.Command("go", "build", "-o", program, "./cmd/adsync")
	build.Dir = repository
	out, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	shop := filepath.Join(home, "shop")
	noError(t, os.CopyFS(shop, os.DirFS(filepath.Join(repository, "examples/quickstart"))))
	noError(t, os.RemoveAll(filepath.Join(shop, ".adsync")))
	noError(t, os.WriteFile(filepath.Join(home, "openid.secret"), []byte(secret), 0o600))
	noError(t, os.WriteFile(filepath.Join(home, "daemon.yaml"), fmt.Appendf(nil, `
listen: localhost:%d
state: states
people: {anna: {role: approver, login: %s}}
login: {openid: {issuer: "%s", client_id: adsync, client_secret: {file: openid.secret}}}
accounts: [{name: shop, folder: shop}]
`, port, mail, issuer), 0o600))
	d := &daemon{c: exec.Command(program, "daemon", "--config", filepath.Join(home, "daemon.yaml")),
		ended: make(chan struct{})}
	d.c.Dir = home
	lines, err := d.c.StderrPipe()
	noError(t, err)
	noError(t, d.c.Start())
	t.Cleanup(func() { _ = d.c.Process.Kill(); <-d.ended })
	answers := make(chan struct{})
	go d.read(lines, answers)
	select {
	case <-answers:
	case <-d.ended:
		t.Fatalf("the daemon ended:\n%s", d.text())
	case <-time.After(patience):
		t.Fatalf("the daemon does not answer:\n%s", d.text())
	}
	return d
}

func (d *daemon) read(lines io.Reader, answers chan struct{}) {
	defer close(d.ended)
	for s := bufio.NewScanner(lines); s.Scan(); {
		d.note(s.Text())
		if strings.Contains(s.Text(), "the daemon answers") {
			close(answers)
		}
	}
	_ = d.c.Wait()
}

func (d *daemon) note(line string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.said.WriteString(line + "\n")
}

func (d *daemon) text() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.said.String()
}

// stop ends it, and returns what it logged.
func (d *daemon) stop() string {
	_ = d.c.Process.Signal(syscall.SIGTERM)
	<-d.ended
	return d.text()
}

// browser is Chromium without script.
type browser struct {
	*testing.T
	ctx context.Context
}

func open(t *testing.T) *browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.ExecPath("chromium-headless-shell"),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.WSURLReadTimeout(time.Minute))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, end := chromedp.NewContext(ctx)
	t.Cleanup(end)
	ctx, late := context.WithTimeout(ctx, 2*patience)
	t.Cleanup(late)
	_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: true})
	noError(t, err)
	return &browser{t, ctx}
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.Fatal(err)
	}
}

func (b *browser) visit(address string) { b.Helper(); b.do(chromedp.Navigate(address)) }

func (b *browser) click(selector string) {
	b.Helper()
	b.wait(`!!document.querySelector(` + fmt.Sprintf("%q", selector) + `)`)
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

// logInAs fills in the provider's form.
func (b *browser) logInAs(name string) {
	b.Helper()
	b.wait(`!!document.querySelector("#username")`)
	b.do(chromedp.Click(chromedp.CSS("#username")), chromedp.KeyEvent(name),
		chromedp.Click(chromedp.CSS("#password")), chromedp.KeyEvent("verysecure\r"))
}

// wait wants an expression to become true, on this page or the one it leads to.
func (b *browser) wait(expression string) {
	b.Helper()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for began := time.Now(); time.Since(began) < patience; <-look.C {
		yes, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](
			`document.readyState === "complete" && (`+expression+`)`))
		if err == nil && yes {
			return // an error: between two pages there is none to ask
		}
	}
	text, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`location.href + "\n" + document.body.innerText`))
	b.Fatalf("never %s; the page is %.1500s", expression, text)
}

func (b *browser) says(words string) {
	b.Helper()
	b.wait(`document.body.innerText.includes(` + fmt.Sprintf("%q", words) + `)`)
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
