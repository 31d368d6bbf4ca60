/** Web applications for npm packages that run in browsers alone. */

import manifest from "../../deno.json" with { type: "json" };

/** An application whose pages all have the package as `client`. */
export interface ClientPage extends AsyncDisposable {
  readonly url: string;
}

/**
 * Serves an application on a free port of this machine.
 *
 * @param specifier The package with its version, such as `npm:keycloak-js@26.2.4`: named in a test and nowhere else, so
 *   that only who runs that test downloads it.
 * @param paths Further entry points of the package, whose exports `client` has too.
 */
export async function serveClientPage(specifier: string, ...paths: readonly string[]): Promise<ClientPage> {
  const script = await bundle(specifier, paths);
  const page = `<!doctype html><meta charset=utf-8><title>Application</title><link rel=icon href=data:,>
<script type=module src=/client.js></script>`;
  const server = Deno.serve({ port: 0, hostname: "localhost", onListen: () => {} }, ({ url }) => {
    const isScript = new URL(url).pathname === "/client.js";
    return new Response(isScript ? script : page, {
      headers: { "content-type": isScript ? "text/javascript" : "text/html" },
    });
  });
  return { url: `http://localhost:${server.addr.port}`, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** A script that defines `client`, by esbuild: `deno bundle` does not resolve every package. */
async function bundle(specifier: string, paths: readonly string[]): Promise<string> {
  const [, name = "", version = ""] = /^npm:(.+)@([^@]+)$/.exec(specifier) ?? [];
  const modules = [name, ...paths.map((path) => `${name}/${path}`)];
  const imports = modules.map((module, i) => `import * as m${i} from "${module}";\n`).join("");
  const folder = await Deno.makeTempDir({ prefix: "latchkey-client-" });
  try {
    await Deno.writeTextFile(`${folder}/package.json`, JSON.stringify({ dependencies: { [name]: version } }));
    await Deno.writeTextFile(
      `${folder}/entry.js`,
      `${imports}window.client = Object.assign({}, ${modules.map((_, i) => `m${i}`).join(", ")});`,
    );
    await run(folder, ["install", "--quiet", "--no-lock"]);
    const { esbuild } = manifest.scopes["./tests/"];
    return await run(folder, [
      "run",
      "-A",
      "--no-lock",
      esbuild,
      "entry.js",
      "--bundle",
      "--format=esm",
      "--log-level=error",
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function run(cwd: string, args: readonly string[]): Promise<string> {
  const { stdout, success } = await new Deno.Command(Deno.execPath(), { args: [...args], cwd, stderr: "inherit" })
    .output();
  if (!success) throw new Error(`deno ${args[0]} failed`);
  return new TextDecoder().decode(stdout);
}
