package daemoncmd

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"adsync/internal/daemon/web"
	"adsync/sources/config"
)

// TestAWebhookThatIsNotGoodKeepsNoOther: one account without its secret, and one with a
// secret that is too short, have no webhook; the third has its own.
func TestAWebhookThatIsNotGoodKeepsNoOther(t *testing.T) {
	p := &page{server: &web.Server{}, log: slog.New(slog.DiscardHandler)}
	var settings config.Daemon
	for _, name := range []string{"gone", "short", "shop"} {
		a := config.DaemonAccount{
			Name: config.Setting{Value: name}, Webhook: config.KeyReference{
				From: "file", Setting: config.Setting{Value: name},
			},
		}
		settings.Accounts = append(settings.Accounts, a)
	}
	secrets := map[string]string{"short": "x", "shop": "a secret of the webhook"}
	err := p.wakeFor(settings, func(string) {}, func(r config.KeyReference) (string, error) {
		if secrets[r.Value] == "" {
			return "", fmt.Errorf("no file %s", r.Value)
		}
		return secrets[r.Value], nil
	})
	if err == nil || !strings.Contains(err.Error(), "gone: no file gone") || !strings.Contains(err.Error(),
		"short: the webhook's secret is shorter than 16") || strings.Contains(err.Error(), "shop") {
		t.Errorf("wakeFor: %v; want both accounts named, and no other", err)
	}
	if p.hooks.Load() == nil {
		t.Fatal("there is no webhook; want that of shop")
	}
	for name, want := range map[string]int{
		"shop": http.StatusAccepted, "short": http.StatusUnauthorized, "gone": http.StatusUnauthorized,
	} {
		body := `{"ref":"refs/heads/main"}`
		request := httptest.NewRequest(http.MethodPost, "/hooks/"+name, strings.NewReader(body))
		request.Header.Set("X-GitHub-Event", "push")
		request.Header.Set("X-GitHub-Delivery", name)
		request.Header.Set("X-Hub-Signature-256", signatureOf(secrets[name], body))
		answer := httptest.NewRecorder()
		p.ServeHTTP(answer, request)
		if answer.Code != want {
			t.Errorf("a push to %s is answered %d; want %d", name, answer.Code, want)
		}
	}
}
