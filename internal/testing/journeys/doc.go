// Package journeys has what each person does with adsync from the first command to the
// last, as a script that reads as a story: what they type and save, and what they see. A
// script runs the binary that users get, in processes of its own, against the emulator in
// another, in each of its profiles. It shares no code with adsync and looks into nothing
// that a user does not see. Tests only.
package journeys
