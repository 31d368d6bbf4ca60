/** Refuses what deno.lock holds beyond deno.json: all of a lock is installed at everybody's first start, used or not. */

/** The part of a lock (version 5) that says which ranges were asked for, and by deno.json. */
interface Lock {
  readonly specifiers: Readonly<Record<string, string>>;
  readonly workspace: { readonly dependencies: readonly string[] };
}

const { specifiers, workspace }: Lock = JSON.parse(await Deno.readTextFile("deno.lock"));
const strangers = Object.keys(specifiers).filter((specifier) => !workspace.dependencies.includes(specifier));
if (strangers.length > 0) {
  console.error(
    `deno.lock holds ${strangers.join(", ")}, which deno.json does not name, so everybody would download it.`,
  );
  console.error("Run what imports it with --no-lock, then mend the lock: rm deno.lock && deno install");
  Deno.exit(1);
}
