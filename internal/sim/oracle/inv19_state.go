package oracle

import "fmt"

// StateIntegrity is invariant 19 as far as a history shows it; damage to the
// bytes of a state is for the tests of package state.
func StateIntegrity(h *History) error {
	for agent, serials := range h.Serials {
		for i := 1; i < len(serials); i++ {
			if serials[i] < serials[i-1] {
				return fmt.Errorf("the serial of agent %d's state fell from %d to %d", agent, serials[i-1], serials[i])
			}
			if h.Lineages[agent][i] != h.Lineages[agent][0] {
				return fmt.Errorf("the lineage of agent %d's state changed", agent)
			}
		}
	}
	return nil
}
