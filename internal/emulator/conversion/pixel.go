package conversion

import (
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/world"
)

// pixelView is a conversion source as the service shows it (part 2).
type pixelView struct {
	ID         string `json:"id"`
	ClientType string `json:"client_type"`
	Name       string `json:"name"`
	PixelID    string `json:"pixel_id"`
}

func viewPixel(p world.Pixel) pixelView {
	return pixelView{ID: p.ID, ClientType: p.ClientType, Name: p.Name, PixelID: p.PixelID}
}

func createPixel(c *service.Call) (view any, err error) {
	o, err := c.Object()
	if err != nil {
		return nil, err
	}
	o.Require("name", "client_type")
	made := world.Pixel{Name: o.Name("name", 3, 1000).V, ClientType: o.Choice("client_type", "web").V}
	if err := o.Err(); err != nil {
		return nil, err
	}
	err = c.Update(func(tx *world.Tx) error {
		made.ID, made.PixelID = tx.NewID("clidsrc_"), tx.NewID("px_")
		made.CreatedAt = tx.Now.Unix()
		tx.Account.Pixels.Put(tx, made)
		tx.Record(world.Mutation{Action: "create", Resource: "conversion_pixel", ResourceID: made.ID}, nil, made)
		view = viewPixel(made)
		return nil
	})
	return view, err
}

func listPixels(c *service.Call) (list any, err error) {
	err = c.View(func() error {
		t := c.Account.Pixels
		rows := service.Rows[world.Pixel]{All: t.All(), Version: t.Version(), Entry: func(p world.Pixel) service.Entry {
			return service.Entry{ID: p.ID, Name: p.Name, Created: p.CreatedAt}
		}}
		list, err = service.List(c, rows, viewPixel)
		return err
	})
	return list, err
}

// keyView is a conversion API key; the secret is shown in this answer and never
// again (part 5, rule 7).
type keyView struct {
	Name   string `json:"name"`
	APIKey string `json:"api_key"`
}

func (r *Room) createKey(c *service.Call) (any, error) {
	o, err := c.Object()
	if err != nil {
		return nil, err
	}
	o.Require("name")
	name := o.Name("name", 3, 1000).V
	if err := o.Err(); err != nil {
		return nil, err
	}
	secret := "sk-conv-" + r.secret()
	err = c.Update(func(tx *world.Tx) error {
		made := world.ConversionKey{Hash: world.HashKey(secret), Name: name, CreatedAt: tx.Now.Unix()}
		tx.Account.ConversionKeys.Put(tx, made)
		tx.Record(world.Mutation{Action: "create",
			Resource: "conversion_api_key", ResourceID: "ckey_" + made.Hash[:12]}, nil, made)
		return nil
	})
	return keyView{Name: name, APIKey: secret}, err
}
