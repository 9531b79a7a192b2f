#!/bin/sh
# Screen the 28 options, tune those that matter, verify: from nothing to a result, nobody looks on.
# usage: screen-tune-verify.sh FOLDER, which must not be there. It says how long each part took.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir "$1" && cd "$1"

took() { echo "$1: $(($(date +%s) - started)) s since the start" | tee -a times.txt; }
started=$(date +%s)

{ printf 'name = "screen"\n'; cat "$here/workload.toml"
  printf '\n[space]\npreset = "jin2022"\n\n[sample]\ndesign = "sobol"\nruns = 96\nreplicates = 0\n'
  printf '\n[search]\nseed = 11\nanchor_every = 10\n'; } > screen.toml
lsmtune sample screen.toml
took "screened"

lsmtune analyze studies/screen > analysis.txt
sed -n '/^\[space\]/,/^ *$/p' analysis.txt > space.toml
took "analyzed"

{ printf 'name = "tune"\n'; cat "$here/workload.toml"; printf '\n'; cat space.toml
  printf '\n[search]\nseed = 11\nfirst = ["studies/screen"]\n\n[budget]\ntime = "24m"\n'; } > tune.toml
lsmtune tune tune.toml
took "tuned and verified"
