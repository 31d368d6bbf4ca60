/** Functions of extensions that must return immediately, written `async` by mistake. */

import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { test } from "node:test";
import type { CoreExtension, CoreOptions, Server } from "../../src/core/mod.ts";
import { startCore } from "./kit.ts";

/** The two mistakes: a function that resolves, and one that rejects, which may not end the process. */
const mistakes = {
  resolves: () => Promise.resolve(false),
  rejects: () => Promise.reject(new Error("by mistake")),
} as const;

type Mistake = typeof mistakes[keyof typeof mistakes];

/** Any function, whatever its type says. */
const as = <T>(mistake: Mistake) => mistake as unknown as T;

function extendedBy(extension: Omit<CoreExtension, "name">): Partial<CoreOptions> {
  return { extensions: [{ name: "mistaken", ...extension }] };
}

function extend(change: (server: Server, mistake: Mistake) => object) {
  return (mistake: Mistake) =>
    extendedBy({ extend: (server) => ({ ...server, ...change(server, mistake) }) as Server });
}

/** Functions of the server, with what calls each. */
const functionsOfServer: Readonly<Record<string, (server: Server) => Record<string, unknown>>> = {
  newToken: (server) => server as unknown as Record<string, unknown>,
  "grants.isEmpty": ({ grants }) => grants as unknown as Record<string, unknown>,
  "presentedTokens.challenge": ({ presentedTokens }) => presentedTokens as unknown as Record<string, unknown>,
};

for (const [kind, mistake] of Object.entries(mistakes)) {
  test(`a function of the server that ${kind} later is an error where it is called, never a value`, async () => {
    for (const [path, ownerOf] of Object.entries(functionsOfServer)) {
      const name = path.split(".").at(-1)!;
      const member = path.includes(".") ? path.split(".")[0] as keyof Server : undefined;
      const { server } = await startCore(
        extend((before) =>
          member === undefined ? { [name]: mistake } : { [member]: { ...before[member] as object, [name]: mistake } }
        )(mistake),
      );
      const owner = ownerOf(server.server);
      assertThrows(
        () => (owner[name] as () => unknown)(),
        TypeError,
        `${name} of the extension mistaken to return immediately`,
      );
    }
  });

  test(`newToken that ${kind} later issues nothing`, async () => {
    const issuing = await startCore(extend(() => ({ newToken: mistake }))(mistake));
    const location = new URL((await issuing.authorize()).headers.get("location") ?? "about:blank");
    assertEquals(location.searchParams.get("code"), null);
  });

  test(`isUsed and claimedId of a method of client authentication that ${kind} later authenticate no client`, async () => {
    const method = { method: "private_key_jwt", authenticate: () => Promise.reject(new Error("not used")) } as const;
    for (
      const one of [{ isUsed: as(mistake), claimedId: () => "web" }, { isUsed: () => true, claimedId: as(mistake) }]
    ) {
      const causes: unknown[] = [];
      const { token } = await startCore({
        ...extendedBy({ clientAuthentication: [{ ...method, ...one } as never] }),
        trace: (event) => void (event.type === "internal_error" && causes.push(event.cause)),
      });
      assertEquals((await token({ grant_type: "client_credentials" })).status, 500);
      if ("isUsed" in one && one.isUsed === as(mistake)) assertMatch(String(causes[0]), /isUsed of private_key_jwt/);
    }
  });

  test(`metadata that ${kind} later is an error, not an omission`, async () => {
    const { send } = await startCore(extendedBy({ metadata: as(mistake) }));
    assertEquals((await send("/.well-known/openid-configuration")).status, 500);
  });

  test(`a listener that ${kind} later changes nothing`, async () => {
    const warn = { warn: as<() => void>(mistake) };
    const listeners = [
      extend(() => ({ passed: mistake })),
      extend(() => ({ observe: mistake })),
      () => extendedBy({ requestChecks: [{ ...warn, read: () => {} }] }),
      () => ({ trace: as<() => void>(mistake) }),
    ];
    for (const listen of listeners) {
      const { code, exchange } = await startCore(listen(mistake));
      assertEquals((await exchange(await code())).status, 200);
    }
  });

  test(`endpoints, isOn and the clock that ${kind} later stop the start`, async () => {
    const grantType = { type: "urn:example:ticket", parameters: [], load: () => Promise.reject(new Error("not used")) };
    const options: Readonly<Record<string, Partial<CoreOptions>>> = {
      "endpoints of the extension mistaken": extendedBy({ endpoints: as(mistake) }),
      "isOn of urn:example:ticket": extendedBy({ grantTypes: [{ ...grantType, isOn: as(mistake) }] }),
      "now": { now: as(mistake) },
    };
    for (const [name, option] of Object.entries(options)) {
      const error = await assertRejects(() => startCore(option));
      assert(String(error).includes(`expected ${name} to return immediately`), String(error));
    }
  });
}
