#!/bin/sh
# Fetches a Debian package with all that it needs and this machine lacks, and unpacks it into FOLDER: nothing is
# installed, so no server is started as a service, and neither root nor sudo is needed.
#
#   tests/systems/unpack.sh PACKAGE FOLDER
set -eu

package=$1
folder=$2
[ ! -e "$folder" ] || exit 0

part=$folder.part
rm -rf "$part"
mkdir -p "$part/.fetched"
# "Inst NAME (VERSION ...": new; "Inst NAME [OLD] (VERSION ...": here already, in another version, which does.
# The package itself is fetched in any case.
needed=$(apt-get install -s --no-install-recommends "$package" | awk '/^Inst/ && $3 !~ /^\[/ { print $2 }')
names=$(printf '%s\n' "$package" $needed | sort -u)
# As root, APT takes another user for this, who may not write here, and would warn.
# shellcheck disable=SC2086 # one argument a name
(cd "$part/.fetched" && apt-get download -qq -o APT::Sandbox::User=root $names)
for file in "$part"/.fetched/*.deb; do
    dpkg-deb -x "$file" "$part"
done
rm -r "$part/.fetched"
mv "$part" "$folder"
