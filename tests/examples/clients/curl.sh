#!/bin/sh
# A wallet's first calls and the test's side of them, with curl alone: curl.sh URL API_KEY
set -eu
url=$1
key=$2

api() { curl --silent --show-error --header "X-API-KEY: $key" "$@"; }
control() { curl --silent --show-error --fail --header "Content-Type: application/json" "$@"; }

echo "the account has no orders:"
api "$url/api/v2/orders?accountId=10001"
echo

echo "the next ticker comes back as HTTP 503, the one after it is fine:"
control --data '{"on": "get_ticker", "status": 503}' "$url/__mockrelay/faults"
echo
api --output /dev/null --write-out '%{http_code}\n' "$url/api/v2/ticker?market=LRC-ETH"
api --output /dev/null --write-out '%{http_code}\n' "$url/api/v2/ticker?market=LRC-ETH"

echo "a day later:"
control --data '{"advance": "1d"}' "$url/__mockrelay/clock"
echo

echo "the ticker was called twice:"
control --data '{"endpoint": "get_ticker", "times": 2}' "$url/__mockrelay/verify"
echo
