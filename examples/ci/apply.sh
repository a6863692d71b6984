#!/usr/bin/env bash
# Applies what is not held, and what somebody allows.
#   ALLOW       what is allowed, one a line, as the plan prints it: raises-spend=campaign/x=500
#   ADSYNC      the command (default: bin/adsync)
#   ADSYNC_ADS  the folder of the sources (default: ads)
set -euo pipefail
allow=()
while IFS= read -r line; do
  line="${line#--allow }"
  if [ -n "$line" ]; then allow+=(--allow "$line"); fi
done <<< "${ALLOW:-}"
exec "${ADSYNC:-bin/adsync}" apply "${ADSYNC_ADS:-ads}" --yes "${allow[@]}"
