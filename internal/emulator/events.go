package emulator

import (
	"io"
	"net/http"

	"adsync/internal/emulator/conversion"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// mountEvents serves the separate address that conversion events are sent to:
// /_events/v1/events stands for https://bzr.openai.com/v1/events, and
// /_events/v1/pixel for what the browser pixel sends to.
func (s *Server) mountEvents() {
	receiver := conversion.NewReceiver(s.world, s.points)
	s.mux.HandleFunc("POST /_events/v1/events", s.received(receiver.FromServer))
	s.mux.HandleFunc("POST /_events/v1/pixel", s.received(receiver.FromBrowser))
	s.mux.HandleFunc("OPTIONS /_events/v1/pixel", func(w http.ResponseWriter, r *http.Request) {
		allowPages(w)
		w.WriteHeader(http.StatusNoContent)
	})
}

func (s *Server) received(take func(*http.Request) (conversion.Receipt, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		receipt, err := take(r)
		if r.URL.Path == "/_events/v1/pixel" {
			allowPages(w)
		}
		if err != nil {
			s.reply.send(w, r, nil, s.reply.refusal(err))
			return
		}
		s.reply.send(w, r, nil, s.reply.success(http.StatusOK, receipt))
	}
}

// allowPages lets any web page send to the pixel's address.
func allowPages(w http.ResponseWriter) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Access-Control-Allow-Headers", "Content-Type")
}

// makeClick takes {"ad_id": …, "touch": "click" or "view"} and gives a ref that
// a conversion event can carry as oppref or obref.
func (c *adControls) makeClick(r *http.Request) (any, error) {
	o, err := controlObject(r)
	if err != nil {
		return nil, err
	}
	o.Require("ad_id")
	id := o.Text("ad_id", 1, 255).V
	touch := o.Choice("touch", "click", "view").Or("click")
	if err := o.Err(); err != nil {
		return nil, err
	}
	for _, a := range c.world.Accounts() {
		var made world.Click
		err := a.Update(world.Cause{Actor: "emulator", Endpoint: "POST /_emulator/clicks"}, func(tx *world.Tx) error {
			ad, ok := a.Ads.Get(id)
			if !ok {
				return nil
			}
			made = world.Click{
				Ref: tx.NewID("oppref_"), Touch: touch, AdID: ad.ID, AdGroupID: ad.AdGroupID,
				CampaignID: ad.CampaignID, At: tx.Now.UnixMilli(),
			}
			a.Clicks.Put(tx, made)
			return nil
		})
		if err != nil || made.Ref != "" {
			return made, err
		}
	}
	return nil, wire.NotFoundf("No ad found with id '%s'.", id)
}

func controlObject(r *http.Request) (*wire.Object, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, wire.Invalidf("", "invalid_body", "The body could not be read: %v.", err)
	}
	o, problem := wire.ParseObject(body)
	if problem != nil {
		return nil, problem
	}
	return o, nil
}
