#!/bin/sh
# The tests of the report open it in a real browser and look at it on paper: Chromium, its driver and pdftoppm must be
# there. As root on a Debian system they are installed; elsewhere this says what to install, and fails, since tests that are skipped in silence prove
# nothing.
set -eu

have() { command -v "$1" >/dev/null 2>&1; }
browser() { have chromium || have chromium-browser || have google-chrome; }
ready() { browser && have chromedriver && have pdftoppm; }
needed="chromium chromium-driver poppler-utils"

if ready; then exit 0; fi
if [ "$(id -u)" = 0 ] && have apt-get; then
    echo "Installing $needed for the tests of the report"
    apt-get update -qq || echo "apt-get update failed; going on with the lists at hand" >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $needed >/dev/null
fi
if ready; then exit 0; fi
echo "The tests of the report need Chromium, its driver and pdftoppm. On Debian, as root: apt-get install $needed" >&2
exit 1
