/** GET and POST /authorized: where the demo clients are called back; explains what came, and redeems and stores nothing. */

import { HttpFault } from "../http/fault.ts";
import { parseFields, readForm } from "../http/form.ts";
import type { Fields } from "../http/form.ts";
import type { Incoming, Reply } from "../http/reply.ts";
import { html } from "../http/respond.ts";
import { describeCode } from "../oauth/authorization.ts";
import type { IssuedCode } from "../oauth/authorization.ts";
import { demoSecret } from "../oauth/settings.ts";
import { readParams } from "../oauth/params.ts";
import type { Params } from "../oauth/params.ts";
import { encodeFormValue } from "../oauth/redirect_uri.ts";
import { asPage } from "./answer.ts";
import { demoClientsOf, recallVerifier, recogniseBrowser, startLinks } from "./demo.ts";
import type { Desk, Endpoint } from "./endpoint.ts";
import { urlOf } from "./endpoint.ts";
import type { AuthorizedProps, TokenRequestExample } from "./pages.ts";

/** The longest value that is shown whole, in characters. */
const shownLimit = 512;

/** The callback page. */
export function authorizedEndpoint(desk: Desk): Endpoint {
  const { server, site } = desk;

  async function answer(request: Incoming, read: () => Fields | Promise<Fields>): Promise<Reply> {
    const browser = recogniseBrowser(desk, request);
    const notes: string[] = [];
    const params = await readCallback(read, notes);
    const shown = (name: string) => show(params, name, notes);
    const outcome = readOutcome(params, shown);
    const success = outcome.kind === "success";
    const props: AuthorizedProps = {
      ...site,
      outcome,
      notes,
      examples: success ? await examples(desk, outcome.code, await recallVerifier(browser, outcome.state)) : [],
      tokenEndpoint: urlOf(server.issuer, "/oauth2/token"),
      codeLifetime: server.lifetimes.code,
      startLinks: await startLinks(desk, browser),
    };
    const pages = await desk.pages();
    return html(200, pages.authorized(props), browser.headers);
  }

  return {
    path: `${site.base}/authorized`,
    GET: (request, target) => answer(request, () => parseFields(target.query)),
    // Where the answer travels by form_post, the browser posts it here.
    POST: (request) => answer(request, () => readForm(request)),
    refuse: (fault, target, request) => asPage(desk.during(request), target, fault),
  };
}

async function readCallback(read: () => Fields | Promise<Fields>, notes: string[]): Promise<Params> {
  try {
    return readParams(await read());
  } catch (fault) {
    if (!(fault instanceof HttpFault)) throw fault;
    notes.push("The answer could not be read: its names and values must be percent-encoded UTF-8, and not too long.");
    return readParams([]);
  }
}

function readOutcome(params: Params, shown: (name: string) => string | undefined): AuthorizedProps["outcome"] {
  const code = params.get("code");
  if (params.get("error") !== undefined || code === undefined) {
    return { kind: "failure", error: shown("error"), description: shown("error_description") };
  }
  const whole = shown("code");
  // A code that cannot be shown as it is cannot be redeemed from here either.
  return whole === code ? { kind: "success", code, state: shown("state") } : { kind: "failure" };
}

function show(params: Params, name: string, notes: string[]): string | undefined {
  const value = params.get(name);
  if (params.repeats(name)) {
    notes.push(`${name} came more than once, so no value of it can be trusted and none is shown.`);
    return undefined;
  }
  if (value === undefined || value.length <= shownLimit) return value;
  notes.push(`${name} is ${value.length} characters long; only the first ${shownLimit} are shown.`);
  return `${value.slice(0, shownLimit)}…`;
}

async function examples(desk: Desk, code: string, verifier: string | undefined): Promise<TokenRequestExample[]> {
  const { server } = desk;
  const issued = await describeCode(server, code);
  const owner = issued === undefined ? undefined : server.clients.find(issued.clientId);
  const own = demoClientsOf(desk);
  return (["public", "confidential"] as const).flatMap((kind) => {
    const isKind = (client: { readonly confidential: boolean }) => client.confidential === (kind === "confidential");
    const client = owner !== undefined && isKind(owner) ? owner : own.find(isKind);
    return client === undefined ? [] : [example(desk, kind, client.id, code, verifier, issued)];
  });
}

function example(
  desk: Desk,
  kind: "public" | "confidential",
  clientId: string,
  code: string,
  verifier: string | undefined,
  issued: IssuedCode | undefined,
): TokenRequestExample {
  const challenged = issued?.challenged ?? true;
  const form = [
    ["grant_type", "authorization_code"],
    ["code", code],
    ["redirect_uri", issued?.redirectUri ?? urlOf(desk.server.issuer, "/authorized")],
    ...challenged ? [["code_verifier", verifier ?? "YOUR_CODE_VERIFIER"]] : [],
    ...kind === "public" ? [["client_id", clientId]] : [],
  ].map(([name, value]) => `${name}=${encodeFormValue(value!)}`);
  const secret = clientId === "demo-confidential" ? demoSecret : "YOUR_CLIENT_SECRET";
  const lines = [
    `curl ${shellQuote(urlOf(desk.server.issuer, "/oauth2/token"))}`,
    ...kind === "confidential" ? [`-u ${shellQuote(`${encodeFormValue(clientId)}:${secret}`)}`] : [],
    ...form.map((pair) => `-d ${shellQuote(pair)}`),
  ];
  return {
    kind,
    clientId,
    command: lines.join(" \\\n  "),
    fits: issued === undefined ? undefined : issued.clientId === clientId,
    used: issued?.spentAt !== undefined,
    verifier: !challenged ? "none" : verifier === undefined ? "placeholder" : "known",
  };
}

/** Quotes for a POSIX shell: nothing inside single quotes is special, and no single quote stays inside. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
