#!/usr/bin/env bash
# Makes a plan for the action: annotations, a summary, a page, problems as SARIF, and a saved plan if one is wanted.
#   HEAD   a commit that is planned as data; without one, the files that are here
#   SAVED  true for a saved plan
set -euo pipefail
out="$RUNNER_TEMP/adsync-plan"
if [ -n "$HEAD" ]; then
  if ! [[ "$HEAD" =~ ^[0-9a-f]{40}$ ]]; then
    echo "head is no full commit" >&2
    exit 1
  fi
  base=$(git merge-base HEAD "$HEAD")
  args=(--git "$PWD" --ref "$HEAD" --path "$ADSYNC_ADS" --state "$RUNNER_TEMP/adsync" --base "$base")
else
  args=("$ADSYNC_ADS")
fi
if [ "$SAVED" = true ]; then args+=(--out "$out/plan.saved"); fi
code=0
"$GITHUB_ACTION_PATH/examples/ci/allowing.sh" plan "${args[@]}" -o github --also "markdown=$out/plan.md" --also "html=$out/plan.html" \
  --also "sarif=$out/plan.sarif" || code=$?
if [ -s "$out/plan.md" ]; then cat "$out/plan.md" >> "$GITHUB_STEP_SUMMARY"; fi
exit "$code"
