# Nix: pkgs.callPackage ./package.nix { }
{ lib, stdenv, fetchurl, autoPatchelfHook }:

let
  sources = {
    aarch64-darwin = {
      url = "{{url:macos-arm64}}";
      hash = "{{sri:macos-arm64}}";
    };
    aarch64-linux = {
      url = "{{url:linux-arm64}}";
      hash = "{{sri:linux-arm64}}";
    };
    x86_64-darwin = {
      url = "{{url:macos-x64}}";
      hash = "{{sri:macos-x64}}";
    };
    x86_64-linux = {
      url = "{{url:linux-x64}}";
      hash = "{{sri:linux-x64}}";
    };
  };
in
stdenv.mkDerivation {
  pname = "latchkey";
  version = "{{version}}";
  src = fetchurl sources.${stdenv.hostPlatform.system};
  nativeBuildInputs = lib.optionals stdenv.hostPlatform.isLinux [ autoPatchelfHook ];
  dontConfigure = true;
  dontBuild = true;
  # The program is a part of the file, which strip would remove.
  dontStrip = true;
  installPhase = ''
    runHook preInstall
    install -Dm755 latchkey $out/bin/latchkey
    runHook postInstall
  '';
  meta = {
    description = "OAuth 2.1 and OpenID Connect authorization server for tests and laptops";
    homepage = "https://github.com/{{repository}}";
    license = lib.licenses.mit;
    mainProgram = "latchkey";
    platforms = builtins.attrNames sources;
    sourceProvenance = [ lib.sourceTypes.binaryNativeCode ];
  };
}
