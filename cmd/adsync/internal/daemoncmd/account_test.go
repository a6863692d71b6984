package daemoncmd

import (
	"reflect"
	"testing"
	"time"

	"adsync/sources/config"
)

// A loop begins anew where anything of its pull requests is another: what answers them keeps what it was given.
func TestALoopBeginsAnewWithOtherPullRequests(t *testing.T) {
	var a config.DaemonAccount
	before := versionOf(a)
	of := reflect.ValueOf(&a.Pulls).Elem()
	for i := range of.NumField() {
		field, was := of.Field(i), reflect.New(of.Field(i).Type()).Elem()
		was.Set(field)
		switch field.Addr().Interface().(type) {
		case *config.Setting:
			field.Set(reflect.ValueOf(config.Setting{Value: "a"}))
		case *config.KeyReference:
			field.Set(reflect.ValueOf(config.KeyReference{From: "env"}))
		case *config.ForgeApp:
			field.Set(reflect.ValueOf(config.ForgeApp{ID: 1}))
		case *[]config.Approver:
			field.Set(reflect.ValueOf([]config.Approver{{Who: config.Setting{Value: "a"}}}))
		case *bool:
			field.SetBool(true)
		case *time.Duration:
			field.SetInt(1)
		default:
			t.Fatalf("%s is a %s, which this test cannot change", of.Type().Field(i).Name, field.Type())
		}
		if versionOf(a) == before {
			t.Errorf("another %s does not begin it anew", of.Type().Field(i).Name)
		}
		field.Set(was)
	}
}
