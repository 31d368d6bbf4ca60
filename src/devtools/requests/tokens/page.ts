/** GET and POST /tokens: decodes and checks pasted tokens. Nothing of them is stored, logged or put into a URL. */

import { ensureBrowserCookie } from "../../../core/sessions/browser_cookie.ts";
import { browserCsrfToken, readProtectedForm } from "../../../server/pages/csrf.ts";
import type { Context } from "../../../core/http/context.ts";
import type { HttpResponse } from "../../../core/http/message.ts";
import { htmlWithForms } from "../../../platform/http/response.ts";
import type { Params } from "../../../core/http/params.ts";
import type { HostedServer } from "../../../server/hosted_server.ts";
import type { JwtContent } from "../../../server/pages/decoded_token.tsx";
import { findIssuedToken, findLastIdToken } from "../../../recorder/issued_tokens.ts";
import type { Recorder } from "../../../recorder/recorder.ts";
import { renderPage } from "../../../core/pages/render_page.ts";
import { Tokens, type TokensProps } from "../pages/tokens.tsx";
import { checkToken } from "./check_token.ts";
import { kindsOfTokens } from "./kinds.ts";
import { type CheckedTokenKind, readPastedText } from "./read_input.ts";
import { readKeysOrSecret } from "./signature.ts";

/** The fields of the form. Their values are shown again. */
const fieldNames = ["token", "key_set", "kind", "issuer", "client_id", "nonce"] as const;

type FormFields = Readonly<Partial<Record<typeof fieldNames[number], string>>>;

/** GET /tokens: the empty form; with `last=id_token` in the query, the ID token that was issued last, checked. */
export async function showTokenForm(context: Context<HostedServer>, recorder: Recorder): Promise<HttpResponse> {
  const lastIdToken = findLastIdToken(recorder.exchanges());
  const isRequested = new URLSearchParams(context.target.query).get("last") === "id_token";
  return isRequested && lastIdToken !== undefined
    ? await renderChecked(context, recorder, { token: lastIdToken })
    : await render(context, recorder, {}, { results: [], notes: [] });
}

/** POST /tokens: the pasted tokens, checked; or one that a flow issued, which `issued` names. */
export async function showTokens(context: Context<HostedServer>, recorder: Recorder): Promise<HttpResponse> {
  const form = await readProtectedForm(context);
  const reference = form.get("issued");
  const issued = reference === undefined ? undefined : findIssuedToken(recorder.flows(), reference);
  return await renderChecked(context, recorder, { ...readFields(form), ...issued && { token: issued.token.value } });
}

async function renderChecked(
  context: Context<HostedServer>,
  recorder: Recorder,
  fields: FormFields,
): Promise<HttpResponse> {
  const { tokens, note } = readPastedText(fields.token ?? "");
  const keys = fields.key_set === undefined ? undefined : readKeysOrSecret(fields.key_set);
  const options = {
    keys: keys && { keys, owner: "the pasted key set" },
    kind: Object.hasOwn(kindsOfTokens, fields.kind ?? "") ? fields.kind as CheckedTokenKind : undefined,
    issuer: fields.issuer,
    clientId: fields.client_id,
    nonce: fields.nonce,
    accessToken: tokens.find(({ source }) => source === "access_token")?.token,
  };
  const results = await Promise.all(tokens.map((token) => checkToken(context.server, token, options)));
  const keyNote =
    'The field "Keys of the issuer" has no keys: expected a JWK Set such as {"keys":[…]}, one JWK or a secret. The page used the keys of this server.';
  const notes = [...note === undefined ? [] : [note], ...fields.key_set && keys === undefined ? [keyNote] : []];
  return await render(context, recorder, fields, { results, notes });
}

function readFields(params: Params): FormFields {
  return Object.fromEntries(fieldNames.flatMap((name) => {
    const value = params.get(name);
    return value === undefined || value.trim() === "" ? [] : [[name, name === "token" ? value : value.trim()]];
  }));
}

/** An ID token that this server could issue. */
function exampleIdToken({ issuer, now }: HostedServer): JwtContent {
  const iat = Math.floor(now() / 1000);
  return {
    header: { alg: "RS256", typ: "JWT", kid: "2026-11" },
    claims: { iss: issuer, sub: "alice", aud: "your-client", nonce: "n-0S6_WzA2Mj", iat, exp: iat + 3600 },
  };
}

async function render(
  context: Context<HostedServer>,
  recorder: Recorder,
  values: FormFields,
  { results, notes }: Pick<TokensProps, "results" | "notes">,
): Promise<HttpResponse> {
  const browser = await ensureBrowserCookie(context);
  const page = renderPage(Tokens, {
    ...context.site,
    values,
    results,
    notes,
    example: results.length + notes.length === 0 ? exampleIdToken(context.server) : undefined,
    kinds: Object.entries(kindsOfTokens).map(([kind, { name }]) => [kind, name] as const),
    now: context.server.now(),
    hasLastIdToken: findLastIdToken(recorder.exchanges()) !== undefined,
    csrfToken: await browserCsrfToken(context, browser),
  });
  return htmlWithForms(200, page, browser.headers);
}
