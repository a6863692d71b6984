package emulator

import (
	"math"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
)

// limiter counts admitted requests by sliding windows. A refused request does
// not count.
type limiter struct {
	limits RateLimits
	points *openpoint.Settings

	mu      sync.Mutex
	windows map[string][]time.Time
}

// allowance is one limit that a request falls under.
type allowance struct {
	name   string
	limit  int
	window time.Duration
}

// limit refuses a request that is one too many for its endpoint, its account,
// its address or the route's own burst. Nothing was done for a refused request.
func (l *limiter) limit(w http.ResponseWriter, c *service.Call) error {
	account := c.Principal.AccountID
	if account == "" {
		account = c.Principal.UserID
	}
	allowances := l.perMinute(account, c.Route)
	if b := c.Route.Burst; b != nil {
		allowances = append(allowances, allowance{account + " burst " + c.Route.Pattern, b.Requests, b.Window})
	}
	if l.points.Is(openpoint.RateLimitPerAddress, "yes") {
		host, _, _ := net.SplitHostPort(c.Request.RemoteAddr)
		allowances = append(allowances, l.perMinute("from "+host, c.Route)...)
	}
	left, wait := l.admit(c.Now(), allowances)
	if l.points.Is(openpoint.RateLimitHeaders, "present") {
		w.Header().Set("X-Ratelimit-Limit-Requests", strconv.Itoa(allowances[0].limit))
		w.Header().Set("X-Ratelimit-Remaining-Requests", strconv.Itoa(left))
	}
	if wait <= 0 {
		return nil
	}
	err := wire.Refusef(http.StatusTooManyRequests,
		"rate_limit_exceeded", "", "Too many requests. Nothing was applied; try again later.")
	err.RetryAfter = int(math.Ceil(wait.Seconds()))
	return err
}

// perMinute are the two published limits of an account or an address.
func (l *limiter) perMinute(who string, rt *service.Route) []allowance {
	return []allowance{
		{who + " " + rt.Method + " " + rt.Pattern, l.limits.EndpointPerMinute, time.Minute},
		{who, l.limits.OverallPerMinute, time.Minute},
	}
}

// admit counts a request against all its limits, or none. It returns what is left
// of the first one, and how long to wait when a limit is full.
func (l *limiter) admit(now time.Time, all []allowance) (left int, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range all {
		times := recent(l.windows[a.name], now.Add(-a.window), now)
		l.windows[a.name] = times
		if a.limit >= 0 && len(times) >= a.limit {
			wait = max(wait, times[len(times)-a.limit].Add(a.window).Sub(now))
		}
	}
	if wait > 0 {
		return 0, wait
	}
	for _, a := range all {
		if a.limit >= 0 {
			l.windows[a.name] = append(l.windows[a.name], now)
		}
	}
	return max(0, all[0].limit-len(l.windows[all[0].name])), 0
}

// recent drops the times that have left the window, and all of them when the
// clock was moved back.
func recent(times []time.Time, start, now time.Time) []time.Time {
	if len(times) > 0 && times[len(times)-1].After(now) {
		return nil
	}
	n := 0
	for n < len(times) && !times[n].After(start) {
		n++
	}
	return times[n:]
}
