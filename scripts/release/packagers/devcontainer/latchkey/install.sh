#!/bin/sh
# Installs the program into an image with glibc, curl or wget, and tar. A file with another sum is not installed.
set -eu

case "$(uname -m)" in
  x86_64)
    url={{url:linux-x64}}
    sum={{sha256:linux-x64}}
    ;;
  aarch64)
    url={{url:linux-arm64}}
    sum={{sha256:linux-arm64}}
    ;;
  *)
    echo "Latchkey: there is no release for $(uname -m)." >&2
    exit 1
    ;;
esac
if [ -n "$(ls "${LOADERS:-/lib}"/ld-musl-* 2>/dev/null)" ]; then
  echo "Latchkey: this image has musl; choose one with glibc, such as Debian." >&2
  exit 1
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if command -v curl >/dev/null; then
  curl --fail --silent --show-error --location --output "$folder/latchkey.tar.gz" "$url"
else
  wget -q -O "$folder/latchkey.tar.gz" "$url"
fi
echo "$sum  $folder/latchkey.tar.gz" | sha256sum -c - >/dev/null
tar -xzf "$folder/latchkey.tar.gz" -C "$folder"
install -m 755 "$folder"/latchkey-*/latchkey "${BIN:-/usr/local/bin}/latchkey"
