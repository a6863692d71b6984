#!/usr/bin/env bash
# Runs adsync with what somebody allows: allowing.sh plan ads, allowing.sh apply ads --yes
#   ALLOW   what is allowed, one a line, as the plan prints it: raises-spend=campaign/x=500
#   ADSYNC  the command (default: bin/adsync)
set -euo pipefail
args=("$@")
while IFS= read -r line; do
  line="${line#--allow }"
  if [ -n "$line" ]; then args+=(--allow "$line"); fi
done <<< "${ALLOW:-}"
exec "${ADSYNC:-bin/adsync}" "${args[@]}"
