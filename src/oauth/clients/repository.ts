/** The clients and users a server knows: registered from metadata, found by id, changed at any time. */

import { soon } from "../maybe_promise.ts";
import type { Soon } from "../maybe_promise.ts";
import type { Change, Changes } from "./changes.ts";
import type { ClientAuthMethod, ClientMetadata, User } from "./client.ts";
import type { SigningAlgorithm } from "../keys/keys.ts";
import { recent } from "../bounded_cache.ts";
import { matchesRedirectUri } from "./redirect_uri.ts";
import { canonicalUri } from "../authorize/resources.ts";
import { splitScope } from "../authorize/scope.ts";
import { digest } from "../secrets.ts";

/** A client as the rules use it. */
export interface Client {
  /** The `client_id`. */
  readonly id: string;
  /** The `client_name`, shown to people. */
  readonly name?: string;
  /** Whether it can keep a secret and must prove who it is. */
  readonly confidential: boolean;
  /** The registered method; the default of RFC 7591 §2 if its metadata names none. */
  readonly authMethod: ClientAuthMethod;
  /**
   * All accepted methods: Basic and post for a client with a secret that names no method, otherwise only the registered
   * one.
   */
  readonly authMethods: readonly ClientAuthMethod[];
  /** The digest of the secret; absent for a public client. */
  readonly secretDigest?: Soon<string>;
  /** The secret itself, only where it is the key of client assertions. */
  readonly assertionSecret?: string;
  /** The public keys of its client assertions. */
  readonly jwks?: NonNullable<ClientMetadata["jwks"]>;
  /** Where those keys are found instead. */
  readonly jwksUri?: string;
  /** The one algorithm of its client assertions, when it registered one. */
  readonly assertionAlg?: string;
  /** The sector its pairwise subjects are for; absent: its subjects are public. */
  readonly sector?: string;
  /** Seconds since the epoch; absent when the secret does not expire. */
  readonly secretExpiresAt?: number;
  /** As registered. */
  readonly redirectUris: readonly string[];
  /** The grants it may use. */
  readonly grantTypes: readonly string[];
  /** The response types it may ask for. */
  readonly responseTypes: readonly string[];
  /** Every scope value it may ask for. */
  readonly scope: readonly string[];
  /** Signs its id tokens. */
  readonly idTokenAlg: SigningAlgorithm;
  /** The form of its access tokens. */
  readonly accessTokenFormat: "jwt" | "opaque";
  /** Resources it serves, in their canonical spelling, whose tokens it may introspect. */
  readonly serves: readonly string[];
  /** Where the browser may be sent after logout. */
  readonly postLogoutRedirectUris: readonly string[];
  /** Signs its userinfo answers; absent: they are plain JSON. */
  readonly userinfoAlg?: SigningAlgorithm;
  /** Whether it must send a code challenge although it is confidential. */
  readonly requirePkce: boolean;
  /** Whether it may ask for a redirect to the requested URI. */
  mayUse(redirectUri: string): boolean;
}

/** Things found by their id. */
export interface Registry<Written, Known> {
  /** `undefined` when there is none of that id. */
  find(id: string): Known | undefined;
  /**
   * Registers one, replacing one of the same id.
   *
   * @param keep Whether it is also kept in a store that lasts. Default: true.
   * @throws {ConfigurationError} With one sentence per fault.
   */
  set(written: Written, keep?: boolean): Known;
  /**
   * Returns whether an entry of this id was removed.
   *
   * @param by The cause, for {@link Registry.removedBy}. Default: `its removal`.
   */
  delete(id: string, by?: string): boolean;
  /** The cause of the removal of this id on this instance; `undefined` if it was not removed, or long ago. */
  removedBy(id: string): string | undefined;
  /** Puts one in front of all others. Whether there was one. */
  putFirst(id: string): boolean;
  /** All of them, in the order they were registered, but for those put first. */
  all(): readonly Known[];
  /**
   * Whether changes are kept in the store, for whichever instance runs on it and after a restart; otherwise they hold for
   * this run of this process.
   */
  readonly isKept: boolean;
  /** Waits until the store has every change that was made here; rejects when it fails, and goes on trying. */
  kept(): Promise<void>;
  /** Takes over what other instances have changed until now; they do so by themselves, within a second. */
  refresh(): Promise<void>;
}

/** The clients of a server. */
export type Clients = Registry<ClientMetadata, Client>;

/** The users of a server; the first one is who `login: "auto"` logs in. */
export type Users = Registry<User, User>;

/** What a registry is made of. */
export interface Nature<Written, Known> {
  /** What its changes are of. */
  readonly of: Change["of"];
  id(written: Written): string;
  /** Throws what is wrong with it. */
  know(written: Written): Known;
  /** What a record of it holds. */
  write(written: Written): ChangeOf["written"] | Promise<ChangeOf["written"]>;
  /** Reads such a record; throws where it does not suit this server. */
  read(written: ChangeOf["written"]): Known;
  /** Removes the other records that the store has of this id, besides changes. */
  erase?(id: string): Promise<void>;
}

type ChangeOf = Extract<Change, { verb: "set" }>;

/** Changes that are shared, and how their marks are drawn. */
export interface Sharing {
  readonly changes: Changes;
  readonly mark: () => string;
  /** Is told of a change of another instance that does not suit this one. */
  readonly refused: (cause: unknown) => void;
}

/** Number of removals remembered for messages. */
const rememberedRemovals = 1000;

/** One step from one list of things to the next. */
type Step<Known> =
  & { readonly id: string }
  & (
    | { readonly verb: "set"; readonly known: Known }
    | { readonly verb: "delete" | "first" }
  );

/**
 * Makes a registry that holds its things in memory. Where changes are shared it holds what all instances have agreed on,
 * in one order, and on top of that what was changed here and is not written yet.
 */
export function registry<Written, Known>(
  initial: readonly Written[],
  { of, id, know, write, read, erase }: Nature<Written, Known>,
  sharing?: Sharing,
): Registry<Written, Known> {
  const agreed = new Map(initial.map((written) => [id(written), know(written)]));
  const removed = recent<string>(rememberedRemovals);
  const waiting: (Step<Known> & { readonly mark: string })[] = [];
  const unerased = new Set<string>();
  let view: ReadonlyMap<string, Known> | undefined = agreed;
  let listed: readonly Known[] | undefined;

  const look = () => view ??= waiting.length === 0 ? agreed : waiting.reduce(take, new Map(agreed));

  /** Everything that was derived from a former state. */
  function forget(): void {
    view = undefined;
    listed = undefined;
  }

  function tell(step: Step<Known>, written?: ChangeOf["written"] | Promise<ChangeOf["written"]>): void {
    forget();
    if (sharing === undefined) return void take(agreed, step);
    const mark = sharing.mark();
    waiting.push({ ...step, mark });
    const head = { of, id: step.id, mark };
    sharing.changes.tell(
      step.verb === "set"
        ? Promise.resolve(written!).then((written) => ({ ...head, verb: step.verb, written }))
        : { ...head, verb: step.verb },
    );
  }

  async function eraseAll(): Promise<void> {
    for (const one of unerased) {
      await erase?.(one);
      unerased.delete(one);
    }
  }

  sharing?.changes.hear(of, (change) => {
    forget();
    const own = waiting.findIndex(({ mark }) => mark === change.mark);
    if (own >= 0) return void take(agreed, waiting.splice(own, 1)[0]!);
    if (change.verb !== "set") return void take(agreed, { id: change.id, verb: change.verb });
    try {
      take(agreed, { id: change.id, verb: "set", known: read(change.written) });
    } catch (cause) {
      sharing.refused(cause);
    }
  });

  return {
    find: (wanted) => look().get(wanted),
    set(written, keep = true) {
      const step = { id: id(written), verb: "set", known: know(written) } as const;
      if (keep) tell(step, sharing && write(written));
      else {
        forget();
        take(agreed, step);
      }
      return step.known;
    },
    delete(unwanted, by = "its removal") {
      const isThere = look().has(unwanted);
      if (isThere) {
        tell({ id: unwanted, verb: "delete" });
        removed.set(unwanted, by);
      }
      unerased.add(unwanted);
      // The next caller tries again.
      eraseAll().catch(() => {});
      return isThere;
    },
    removedBy: removed.get,
    putFirst(wanted) {
      const isThere = look().has(wanted);
      if (isThere) tell({ id: wanted, verb: "first" });
      return isThere;
    },
    all: () => listed ??= Object.freeze([...look().values()]),
    isKept: sharing !== undefined,
    async kept() {
      await eraseAll();
      await sharing?.changes.written();
    },
    refresh: async () => await sharing?.changes.catchUp(),
  };
}

function take<Known>(things: Map<string, Known>, step: Step<Known>): Map<string, Known> {
  if (step.verb === "set") return things.set(step.id, step.known);
  if (step.verb === "delete") {
    things.delete(step.id);
    return things;
  }
  const others = [...things].filter(([id]) => id !== step.id);
  const known = things.get(step.id);
  if (known === undefined) return things;
  things.clear();
  for (const [id, one] of [[step.id, known] as const, ...others]) things.set(id, one);
  return things;
}

/** Detail of a rejection for a removed client: `a client of this id existed until reset()`. */
export function formerClient(clients: Clients, id: string | undefined): string | undefined {
  const by = id === undefined ? undefined : clients.removedBy(id);
  return by && `a client of this id existed until ${by}`;
}

/** Looks for one of that id with the other instances where it is not known here, who may have added it a moment ago. */
export function meet<Written, Known>(things: Registry<Written, Known>, id: string | undefined): Soon<void> {
  if (things.isKept && id !== undefined && things.find(id) === undefined) return things.refresh();
}

/**
 * A client as it is kept in a store that others may read: its secret as a digest, unless the secret is the key of its
 * assertions.
 */
export async function writeClient(client: ClientMetadata): Promise<Readonly<Record<string, unknown>>> {
  const { client_secret: secret, ...others } = client;
  if (secret === undefined) return others;
  if (client.token_endpoint_auth_method === "client_secret_jwt") return { ...client };
  return { ...others, client_secret_digest: await digest(secret) };
}

/**
 * Reads what {@link writeClient} wrote.
 *
 * @param know Reads metadata; where there is but a digest, it stands in for the secret.
 */
export function readClient(
  written: Readonly<Record<string, unknown>>,
  know: (metadata: ClientMetadata) => Client,
): Client {
  const { client_secret_digest: kept, ...metadata } = written as unknown as ClientMetadata & {
    readonly client_secret_digest?: string;
  };
  if (kept === undefined) return know(metadata);
  return { ...know({ ...metadata, client_secret: kept }), secretDigest: kept };
}

/** Reads metadata into a client, with the defaults of RFC 7591 §2. The metadata must be free of faults. */
export function knowClient(
  metadata: ClientMetadata,
  server: { readonly scopes: readonly string[]; readonly alg: SigningAlgorithm },
): Client {
  const secret = metadata.client_secret;
  const { jwks, jwks_uri: jwksUri, token_endpoint_auth_method: named } = metadata;
  const authMethod = named ??
    (secret !== undefined
      ? "client_secret_basic"
      : jwks !== undefined || jwksUri !== undefined
      ? "private_key_jwt"
      : "none");
  const confidential = authMethod !== "none";
  const redirectUris = [...(metadata.redirect_uris ?? [])];
  const native = !confidential || metadata.application_type === "native";
  const client: Client = {
    id: metadata.client_id,
    name: metadata.client_name,
    confidential,
    authMethod,
    authMethods: named === undefined && secret !== undefined
      ? ["client_secret_basic", "client_secret_post"]
      : [authMethod],
    secretDigest: secret === undefined ? undefined : digest(secret),
    assertionSecret: authMethod === "client_secret_jwt" ? secret : undefined,
    jwks,
    jwksUri,
    assertionAlg: metadata.token_endpoint_auth_signing_alg,
    sector: metadata.subject_type === "pairwise" ? sectorOf(metadata) : undefined,
    secretExpiresAt: metadata.client_secret_expires_at || undefined,
    redirectUris,
    grantTypes: metadata.grant_types ?? ["authorization_code"],
    responseTypes: metadata.response_types ?? ["code"],
    scope: metadata.scope === undefined ? server.scopes : splitScope(metadata.scope),
    idTokenAlg: metadata.id_token_signed_response_alg ?? server.alg,
    accessTokenFormat: metadata.access_token_format ?? "jwt",
    serves: (metadata.serves ?? []).map(canonicalUri),
    postLogoutRedirectUris: [...(metadata.post_logout_redirect_uris ?? [])],
    userinfoAlg: metadata.userinfo_signed_response_alg,
    requirePkce: metadata.require_pkce === true,
    mayUse: (redirectUri) => redirectUris.some((registered) => matchesRedirectUri(registered, redirectUri, native)),
  };
  // Once it is available, no caller has to wait.
  soon(client.secretDigest, (secretDigest) => void Object.assign(client, { secretDigest }));
  return client;
}

/** The host that pairwise subjects are for (OpenID Connect Core §8.1); `undefined` when there is no single one. */
export function sectorOf({ sector_identifier_uri, redirect_uris = [] }: ClientMetadata): string | undefined {
  const hosts = new Set(
    (sector_identifier_uri ? [sector_identifier_uri] : redirect_uris).map((uri) => new URL(uri).hostname),
  );
  return hosts.size === 1 ? [...hosts][0] || undefined : undefined;
}
