package adsapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
)

// Account is the ad account of the key. JSON is the whole record. A field
// the service did not give is "".
type Account struct {
	ID       string
	Name     string
	Brand    string // what people see as who advertises
	Icon     string // address of a preview of its icon; "" without one
	Status   string // active or paused
	Currency string // ISO 4217, the unit of every amount in micros
	TimeZone string // IANA name
	JSON     json.RawMessage
}

// Account reads GET /ad_account.
func (c *Client) Account(ctx context.Context) (Account, error) {
	var account Account
	err := c.get(ctx, "/ad_account", nil, func(body []byte) (err error) {
		account, err = decodeAccount(body)
		return err
	})
	return account, err
}

// Accounts lists GET /ad_accounts: every account that the credential reaches.
func Accounts(ctx context.Context, c *Client) ([]Account, error) {
	var all []Account
	for record, err := range c.List(ctx, "ad_accounts", nil) {
		if err != nil {
			return nil, err
		}
		account, err := decodeAccount(record.JSON)
		if err != nil {
			return nil, fmt.Errorf("account %q: %w", clean(record.ID, 80), err)
		}
		all = append(all, account)
	}
	return all, nil
}

// decodeAccount reads the published field names, and beside them the plain
// ones: the interface does not show the record (interface, part 2).
func decodeAccount(body []byte) (Account, error) {
	record, err := decodeRecord(body, "", true)
	if err != nil {
		return Account{}, err
	}
	var wire struct {
		Name         text `json:"name"`
		Brand        text `json:"brand_name"`
		Icon         text `json:"preview_url"`
		Status       text `json:"status"`
		CurrencyCode text `json:"currency_code"`
		Currency     text `json:"currency"`
		Timezone     text `json:"timezone"`
		TimeZone     text `json:"time_zone"`
	}
	if err := unmarshalObject(body, &wire); err != nil {
		return Account{}, err
	}
	return Account{
		ID: record.ID, Name: wire.Name.value, Brand: wire.Brand.value, Icon: wire.Icon.value,
		Status:   wire.Status.value,
		JSON:     record.JSON,
		Currency: cmp.Or(wire.CurrencyCode.value, wire.Currency.value),
		TimeZone: cmp.Or(wire.Timezone.value, wire.TimeZone.value),
	}, nil
}
