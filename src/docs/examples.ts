/** Requests that break a rule: a separate server rejects each, and the page of the rule shows the explanation. */

import type { RejectionRuleId } from "../oauth/rules/mod.ts";
import type { RejectedExample } from "../ui/docs/props.ts";

/** Parameters in place of those of a correct request; `undefined` leaves one out, a list repeats it. */
type Changes = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request with a mistake. */
interface Mistake {
  readonly at: "authorize" | "token";
  readonly changes: Changes;
  /** Whether a correct token request with the same code comes first. Default: false. */
  readonly isRepeated?: boolean;
}

const authorize = (changes: Changes): Mistake => ({ at: "authorize", changes });
const token = (changes: Changes): Mistake => ({ at: "token", changes });

const issuer = "http://localhost:9000";
const callback = `${issuer}/authorized`;

/** A mistake for each rule that demo clients can break with one request. */
export const mistakes: Readonly<Partial<Record<RejectionRuleId, Mistake>>> = {
  "AZ-02": authorize({ client_id: "demo-pubilc" }),
  "AZ-06": authorize({ redirect_uri: [callback, callback] }),
  "AZ-07": authorize({ scope: ["openid", "read"] }),
  "AZ-09": authorize({ response_type: "token" }),
  "AZ-15": authorize({ scope: 'read"' }),
  "AZ-17": authorize({ scope: "raed" }),
  "AZ-19": authorize({ response_mode: "fragment" }),
  "RU-01": authorize({ redirect_uri: `${callback}/` }),
  "RU-07": authorize({ redirect_uri: undefined }),
  "PK-01": authorize({ code_challenge: undefined, code_challenge_method: undefined }),
  "PK-04": authorize({ code_challenge_method: "plain" }),
  "TK-04": token({ grant_type: ["authorization_code", "authorization_code"] }),
  "TK-05": token({ grant_type: "password" }),
  "TK-14": token({ redirect_uri: undefined }),
  "TK-15": token({ redirect_uri: `${callback}/` }),
  "TK-16": token({ code: "unknown" }),
  "PK-08": token({ code_verifier: "short" }),
  "PK-09": token({ code_verifier: "a".repeat(43) }),
  "CA-07": token({ client_id: "demo-confidential", client_secret: "wrong" }),
  "CI-05": token({ client_id: "demo-confidential", client_secret: "demo-secret" }),
  "PK-10": token({ code_verifier: undefined }),
  "CI-06": { ...token({}), isRepeated: true },
};

/** The examples so far; each is made once. */
const made = new Map<string, Promise<RejectedExample>>();

/** The rejection of a request that breaks the rule; `undefined` if there is no such request. */
export function rejectedExample(id: string): Promise<RejectedExample> | undefined {
  const mistake = Object.hasOwn(mistakes, id) ? mistakes[id as RejectionRuleId] : undefined;
  if (mistake === undefined) return undefined;
  const example = made.get(id) ?? reject(mistake);
  made.set(id, example);
  example.catch(() => made.delete(id));
  return example;
}

/** Code verifier and challenge of RFC 7636, Appendix B. */
const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

async function reject({ at, changes, isRepeated = false }: Mistake): Promise<RejectedExample> {
  const { latchkey } = await import("../server/latchkey.ts");
  let example: RejectedExample | undefined;
  await using server = await latchkey({
    issuer,
    alg: "ES256",
    trace(event) {
      if (event.type !== "rejected") return;
      const { reason, expected, received, rule } = event.explanation;
      const sent = formatChanges(changes);
      example = { at, sent, isRepeated, error: event.error, rule, reason, expected, received };
    },
  });
  const requestCode = (changes: Changes) =>
    server.fetch(
      new Request(`${issuer}/oauth2/authorize?${
        toParams({
          response_type: "code",
          client_id: "demo-public",
          redirect_uri: callback,
          scope: "openid",
          code_challenge: challenge,
          code_challenge_method: "S256",
          ...changes,
        })
      }`),
    );
  if (at === "authorize") {
    await requestCode(changes);
  } else {
    const location = (await requestCode({})).headers.get("location")!;
    const requestToken = (changes: Changes) => {
      const body = toParams({
        grant_type: "authorization_code",
        client_id: "demo-public",
        redirect_uri: callback,
        code: new URL(location).searchParams.get("code")!,
        code_verifier: verifier,
        ...changes,
      });
      return server.fetch(new Request(`${issuer}/oauth2/token`, { method: "POST", body }));
    };
    if (isRepeated) await requestToken({});
    await requestToken(changes);
  }
  if (example === undefined) throw new Error("The server accepted the request of an example");
  return example;
}

function toParams(fields: Changes): URLSearchParams {
  return new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [value].flat().map((one) => [name, one])
    ),
  );
}

/** What the request has in place of a correct one. */
function formatChanges(changes: Changes): string[] {
  return Object.entries(changes).flatMap(([name, value]) =>
    value === undefined ? [`no ${name}`] : [value].flat().map((one) => `${name}=${one}`)
  );
}
