/** Builds the container image: `deno task image --help`. */

import manifest from "../deno.json" with { type: "json" };
import { CommandError, exitWithError, readCommand } from "./command.ts";
import { architectures, buildImage, programOfImage } from "./release/image.ts";
import { run } from "./run.ts";

readCommand({
  call: "deno task image",
  does: "Compiles the program for Linux on the processor of this machine, and builds the image latchkey of it with " +
    "docker, podman or buildah.",
});

const target = Deno.build.arch === "aarch64" ? "linux-arm64" : "linux-x64";
await main().catch(exitWithError);

async function main(): Promise<void> {
  const architecture = architectures[target]!;
  const [revision, seconds] = (await run(["git", "log", "-1", "--format=%H %ct"])).trim().split(" ") as [
    string,
    string,
  ];
  await run([
    ...[Deno.execPath(), "task", "compile", "--with", "bun", "--target", target],
    ...["--output", programOfImage(architecture)],
  ]);
  const engine = await buildImage(architecture, { version: manifest.version, revision, seconds: Number(seconds) });
  if (engine === undefined) {
    throw new CommandError("Building an image needs docker, podman or buildah; none works here.");
  }
  console.log(`The image latchkey is ready, made with ${engine}`);
}
