# Homebrew: Formula/latchkey.rb of a tap.
class Latchkey < Formula
  desc "OAuth 2.1 and OpenID Connect authorization server for tests and laptops"
  homepage "https://github.com/{{repository}}"
  version "{{version}}"
  license "MIT"

  on_macos do
    on_arm do
      url "{{url:macos-arm64}}"
      sha256 "{{sha256:macos-arm64}}"
    end
    on_intel do
      url "{{url:macos-x64}}"
      sha256 "{{sha256:macos-x64}}"
    end
  end

  on_linux do
    on_arm do
      url "{{url:linux-arm64}}"
      sha256 "{{sha256:linux-arm64}}"
    end
    on_intel do
      url "{{url:linux-x64}}"
      sha256 "{{sha256:linux-x64}}"
    end
  end

  def install
    bin.install "latchkey"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/latchkey --version")
  end
end
