package drafting

import "adsync/internal/resource"

// ScaledBy returns the attribute that scales an amount, nil where none does.
func (k *Kind) ScaledBy(amount *resource.Attribute) *resource.Attribute {
	for i := range k.Schema.Attributes {
		if a := &k.Schema.Attributes[i]; a.Spend == resource.Scale && a.Scales == amount.Name {
			return a
		}
	}
	return nil
}

// Scaled is an amount of a resource times the largest factor that scales it.
func (k *Kind) Scaled(amount *resource.Attribute, micros int64, r *resource.Resource) int64 {
	if by := k.ScaledBy(amount); by != nil {
		return resource.Multiplied(micros, resource.LargestFactor(ValueOf(r, by.Name)))
	}
	return micros
}

// OfSpend reports whether an attribute is an amount or scales one.
func OfSpend(a *resource.Attribute) bool {
	return a.Spend == resource.Amount || a.Spend == resource.Scale
}
