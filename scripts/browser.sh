#!/bin/sh
# The tests of the report open it in a real browser: Chromium and its driver must be there. As root on a Debian system
# they are installed; elsewhere this says what to install, and fails, since tests that are skipped in silence prove
# nothing.
set -eu

have() { command -v "$1" >/dev/null 2>&1; }
browser() { have chromium || have chromium-browser || have google-chrome; }

if browser && have chromedriver; then exit 0; fi
if [ "$(id -u)" = 0 ] && have apt-get; then
    echo "Installing chromium and chromium-driver for the tests of the report"
    apt-get update -qq || echo "apt-get update failed; going on with the lists at hand" >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium chromium-driver >/dev/null
fi
if browser && have chromedriver; then exit 0; fi
echo "The tests of the report need Chromium and its driver. On Debian, as root: apt-get install chromium chromium-driver" >&2
exit 1
