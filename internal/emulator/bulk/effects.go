package bulk

import (
	"adsync/internal/emulator/ads"
	"adsync/internal/emulator/images"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// step is what an operation has when it runs.
type step struct {
	tx       *world.Tx
	op       *operation
	job      world.Job
	parentID string // of a create below a parent
	image    images.Image
	imageErr error // why the image could not be had
}

// effect does what an operation says. It gives the resource and, for a new
// creative, its submitted version.
type effect func(s *step) (resourceID, versionID string, err error)

func (s *step) key(resource string) ads.KeyUse {
	return ads.KeyUse{Via: ads.ViaBulk, Resource: resource, Key: s.op.key, BodyHash: s.op.hash, Job: s.job.BodySHA256}
}

func createCampaign(draft world.Campaign) effect {
	return func(s *step) (string, string, error) {
		made, _, err := ads.AddCampaign(s.tx, s.key("campaign"), draft)
		return made.ID, "", err
	}
}

// createAdGroup: without a bid the service bids by itself, by the campaign's billing event.
func createAdGroup(draft world.AdGroup) effect {
	return func(s *step) (string, string, error) {
		draft := draft
		draft.CampaignID = s.parentID
		if draft.Bidding.MaxBidMicros == nil {
			campaign, _ := s.tx.Account.Campaigns.Get(s.parentID)
			draft.Bidding = world.Bidding{BillingEventType: campaign.BillingEvent(), Strategy: ads.Automated}
		}
		made, _, err := ads.AddAdGroup(s.tx, s.key("ad_group"), draft)
		return made.ID, "", err
	}
}

// createAd keeps the image as a file of its own when the ad is new.
func createAd(draft world.Ad) effect {
	return func(s *step) (string, string, error) {
		prior, found, err := ads.AdOfKey(s.tx, s.key("ad"))
		if found || err != nil {
			return prior.ID, prior.VersionID, err
		}
		if s.imageErr != nil {
			return "", "", s.imageErr
		}
		draft := draft
		draft.AdGroupID = s.parentID
		draft.Creative.FileID = ads.AddFile(s.tx, ads.FileOf(s.image, "", s.op.imageURL)).ID
		made, _, err := ads.AddAd(s.tx, s.key("ad"), draft)
		return made.ID, made.VersionID, err
	}
}

func updateCampaign(change ads.CampaignChange) effect {
	return func(s *step) (string, string, error) {
		if err := s.targetExisted(s.tx.Account.Campaigns.Birth(s.op.target), "campaign"); err != nil {
			return "", "", err
		}
		changed, err := ads.ChangeCampaign(s.tx, s.op.target, "update", change)
		return changed.ID, "", err
	}
}

func updateAdGroup(change ads.AdGroupChange) effect {
	return func(s *step) (string, string, error) {
		if err := s.targetExisted(s.tx.Account.AdGroups.Birth(s.op.target), "ad group"); err != nil {
			return "", "", err
		}
		changed, err := ads.ChangeAdGroup(s.tx, s.op.target, "update", change)
		return changed.ID, "", err
	}
}

func updateAd(change ads.AdChange) effect {
	return func(s *step) (string, string, error) {
		if err := s.targetExisted(s.tx.Account.Ads.Birth(s.op.target), "ad"); err != nil {
			return "", "", err
		}
		changed, err := ads.ChangeAd(s.tx, s.op.target, "update", change)
		version := ""
		if change.Creative != nil {
			version = changed.VersionID
		}
		return changed.ID, version, err
	}
}

// targetExisted: an update targets a resource that exists at submission (bulk rule 3).
func (s *step) targetExisted(birth int64, what string) error {
	if birth == 0 || birth > s.tx.Account.Jobs.Birth(s.job.ID) {
		return wire.NotFoundf("No %s with id '%s' existed when the job was submitted.", what, s.op.target)
	}
	return nil
}
