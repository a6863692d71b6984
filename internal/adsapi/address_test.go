package adsapi

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// N22: a service that has an IPv6 address alone is reached.
func TestN22ServiceOfAnIPv6Address(t *testing.T) {
	listener, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		respond(w, 200, `{"id":"c1"}`)
	}))
	_ = server.Listener.Close() // the one of IPv4
	server.Listener = listener
	server.Start()
	defer server.Close()
	c := clientOf(t, nil, func(cfg *Config) { cfg.BaseURL = "http://" + listener.Addr().String() + "/v1" })
	if record, err := c.Read(t.Context(), "campaigns", "c1", nil); err != nil || record.ID != "c1" {
		t.Fatalf("Read = %v, %v; want c1", record, err)
	}
}

// N22: connections that the service closed while nobody used them cost nothing.
func TestN22StaleConnectionsAreNoFailure(t *testing.T) {
	c, server := serving(t, func(w http.ResponseWriter, _ *http.Request) { respond(w, 200, `{"id":"c1"}`) })
	for i := range 20 {
		if _, err := c.Read(t.Context(), "campaigns", "c1", nil); err != nil {
			t.Fatalf("read %d: %v", i, err)
		}
		server.CloseClientConnections()
		if _, err := c.Mutate(t.Context(), Mutation{Path: "/campaigns", Key: "k", Body: []byte(`{}`)}); err != nil {
			t.Fatalf("create %d: %v", i, err)
		}
		server.CloseClientConnections()
	}
}
