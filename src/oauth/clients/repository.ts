/** The clients and users a server knows: registered from metadata, found by id, changed at any time. */

import { chain } from "../maybe_promise.ts";
import type { MaybePromise } from "../maybe_promise.ts";
import type { Change, ChangeLog } from "./change_log.ts";
import type { ClientAuthMethod, ClientMetadata, User } from "./client.ts";
import type { SigningAlgorithm } from "../keys/signing_algorithm.ts";
import { boundedCache } from "../bounded_cache.ts";
import { matchesRedirectUri } from "./redirect_uri.ts";
import { canonicalUri } from "../config/resource_list.ts";
import { splitScope } from "../authorize/scope_token.ts";
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
  readonly secretDigest?: MaybePromise<string>;
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
  allowsRedirectUri(redirectUri: string): boolean;
}

/** Things found by their id. */
export interface Repository<Written, Known> {
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
   * @param by The cause, for {@link Repository.removedBy}. Default: `its removal`.
   */
  delete(id: string, by?: string): boolean;
  /** The cause of the removal of this id on this instance; `undefined` if it was not removed, or long ago. */
  removedBy(id: string): string | undefined;
  /** Puts one in front of all others. Whether there was one. */
  makeDefault(id: string): boolean;
  /** All of them, in the order they were registered, but for those put first. */
  all(): readonly Known[];
  /**
   * Whether changes are kept in the store, for whichever instance runs on it and after a restart; otherwise they hold for
   * this run of this process.
   */
  readonly isPersistent: boolean;
  /** Waits until the store has every change that was made here; rejects when it fails, and goes on trying. */
  flush(): Promise<void>;
  /** Takes over what other instances have changed until now; they do so by themselves, within a second. */
  refresh(): Promise<void>;
}

/** The clients of a server. */
export type ClientRepository = Repository<ClientMetadata, Client>;

/** The users of a server; the first one is who `login: "auto"` logs in. */
export type UserRepository = Repository<User, User>;

/** What a registry is made of. */
interface RepositoryDefinition<Written, Known> {
  /** What its changes are of. */
  readonly collection: Change["of"];
  getId(written: Written): string;
  /** Throws what is wrong with it. */
  parse(written: Written): Known;
  /** What a record of it holds. */
  serialize(written: Written): SetChange["written"] | Promise<SetChange["written"]>;
  /** Reads such a record; throws where it does not suit this server. */
  deserialize(written: SetChange["written"]): Known;
  /** Removes the other records that the store has of this id, besides changes. */
  deleteRelated?(id: string): Promise<void>;
}

type SetChange = Extract<Change, { verb: "set" }>;

/** Changes that are shared, and how their marks are drawn. */
export interface SharedChanges {
  readonly changeLog: ChangeLog;
  readonly randomMark: () => string;
  /** Is told of a change of another instance that does not suit this one. */
  readonly onRejected: (cause: unknown) => void;
}

/** Number of removals remembered for messages. */
const maxRememberedRemovals = 1000;

/** One step from one list of things to the next. */
type RepositoryStep<Known> =
  & { readonly id: string }
  & (
    | { readonly verb: "set"; readonly item: Known }
    | { readonly verb: "delete" | "first" }
  );

/**
 * Makes a registry that holds its things in memory. Where changes are shared it holds what all instances have agreed on,
 * in one order, and on top of that what was changed here and is not written yet.
 */
export function repository<Input, Item>(
  initial: readonly Input[],
  { collection, getId, parse, serialize, deserialize, deleteRelated }: RepositoryDefinition<Input, Item>,
  shared?: SharedChanges,
): Repository<Input, Item> {
  const committed = new Map(initial.map((input) => [getId(input), parse(input)]));
  const removalCauses = boundedCache<string>(maxRememberedRemovals);
  const pending: (RepositoryStep<Item> & { readonly mark: string })[] = [];
  const pendingDeletions = new Set<string>();
  let currentView: ReadonlyMap<string, Item> | undefined = committed;
  let cachedList: readonly Item[] | undefined;

  const getView = () =>
    currentView ??= pending.length === 0 ? committed : pending.reduce(applyStep, new Map(committed));

  /** Everything that was derived from a former state. */
  function invalidate(): void {
    currentView = undefined;
    cachedList = undefined;
  }

  function appendStep(step: RepositoryStep<Item>, input?: SetChange["written"] | Promise<SetChange["written"]>): void {
    invalidate();
    if (shared === undefined) return void applyStep(committed, step);
    const mark = shared.randomMark();
    pending.push({ ...step, mark });
    const head = { of: collection, id: step.id, mark };
    shared.changeLog.append(
      step.verb === "set"
        ? Promise.resolve(input!).then((input) => ({ ...head, verb: step.verb, written: input }))
        : { ...head, verb: step.verb },
    );
  }

  async function deleteAllRelated(): Promise<void> {
    for (const id of pendingDeletions) {
      await deleteRelated?.(id);
      pendingDeletions.delete(id);
    }
  }

  shared?.changeLog.subscribe(collection, (change) => {
    invalidate();
    const ownIndex = pending.findIndex(({ mark }) => mark === change.mark);
    if (ownIndex >= 0) return void applyStep(committed, pending.splice(ownIndex, 1)[0]!);
    if (change.verb !== "set") return void applyStep(committed, { id: change.id, verb: change.verb });
    try {
      applyStep(committed, { id: change.id, verb: "set", item: deserialize(change.written) });
    } catch (cause) {
      shared.onRejected(cause);
    }
  });

  return {
    find: (id) => getView().get(id),
    set(input, persist = true) {
      const step = { id: getId(input), verb: "set", item: parse(input) } as const;
      if (persist) appendStep(step, shared && serialize(input));
      else {
        invalidate();
        applyStep(committed, step);
      }
      return step.item;
    },
    delete(id, removalCause = "its removal") {
      const exists = getView().has(id);
      if (exists) {
        appendStep({ id, verb: "delete" });
        removalCauses.set(id, removalCause);
      }
      pendingDeletions.add(id);
      // The next caller tries again.
      deleteAllRelated().catch(() => {});
      return exists;
    },
    removedBy: removalCauses.get,
    makeDefault(id) {
      const exists = getView().has(id);
      if (exists) appendStep({ id, verb: "first" });
      return exists;
    },
    all: () => cachedList ??= Object.freeze([...getView().values()]),
    isPersistent: shared !== undefined,
    async flush() {
      await deleteAllRelated();
      await shared?.changeLog.flush();
    },
    refresh: async () => await shared?.changeLog.refresh(),
  };
}

function applyStep<Item>(items: Map<string, Item>, step: RepositoryStep<Item>): Map<string, Item> {
  if (step.verb === "set") return items.set(step.id, step.item);
  if (step.verb === "delete") {
    items.delete(step.id);
    return items;
  }
  const others = [...items].filter(([id]) => id !== step.id);
  const known = items.get(step.id);
  if (known === undefined) return items;
  items.clear();
  for (const [id, item] of [[step.id, known] as const, ...others]) items.set(id, item);
  return items;
}

/** Detail of a rejection for a removed client: `a client of this id existed until reset()`. */
export function describeRemovedClient(clients: ClientRepository, id: string | undefined): string | undefined {
  const removalCause = id === undefined ? undefined : clients.removedBy(id);
  return removalCause && `a client of this id existed until ${removalCause}`;
}

/** Looks for one of that id with the other instances where it is not known here, who may have added it a moment ago. */
export function refreshIfUnknown<Input, Item>(
  records: Repository<Input, Item>,
  id: string | undefined,
): MaybePromise<void> {
  if (records.isPersistent && id !== undefined && records.find(id) === undefined) return records.refresh();
}

/**
 * A client as it is kept in a store that others may read: its secret as a digest, unless the secret is the key of its
 * assertions.
 */
export async function serializeClient(client: ClientMetadata): Promise<Readonly<Record<string, unknown>>> {
  const { client_secret: secret, ...others } = client;
  if (secret === undefined) return others;
  if (client.token_endpoint_auth_method === "client_secret_jwt") return { ...client };
  return { ...others, client_secret_digest: await digest(secret) };
}

/**
 * Reads what {@link serializeClient} wrote.
 *
 * @param parse Reads metadata; where there is but a digest, it stands in for the secret.
 */
export function deserializeClient(
  record: Readonly<Record<string, unknown>>,
  parse: (metadata: ClientMetadata) => Client,
): Client {
  const { client_secret_digest: secretDigest, ...metadata } = record as unknown as ClientMetadata & {
    readonly client_secret_digest?: string;
  };
  if (secretDigest === undefined) return parse(metadata);
  return { ...parse({ ...metadata, client_secret: secretDigest }), secretDigest };
}

/** Reads metadata into a client, with the defaults of RFC 7591 §2. The metadata must be free of faults. */
export function clientFromMetadata(
  metadata: ClientMetadata,
  server: { readonly scopes: readonly string[]; readonly alg: SigningAlgorithm },
): Client {
  const secret = metadata.client_secret;
  const { jwks, jwks_uri: jwksUri, token_endpoint_auth_method: registeredMethod } = metadata;
  const authMethod = registeredMethod ??
    (secret !== undefined
      ? "client_secret_basic"
      : jwks !== undefined || jwksUri !== undefined
      ? "private_key_jwt"
      : "none");
  const confidential = authMethod !== "none";
  const redirectUris = [...(metadata.redirect_uris ?? [])];
  const isNative = !confidential || metadata.application_type === "native";
  const client: Client = {
    id: metadata.client_id,
    name: metadata.client_name,
    confidential,
    authMethod,
    authMethods: registeredMethod === undefined && secret !== undefined
      ? ["client_secret_basic", "client_secret_post"]
      : [authMethod],
    secretDigest: secret === undefined ? undefined : digest(secret),
    assertionSecret: authMethod === "client_secret_jwt" ? secret : undefined,
    jwks,
    jwksUri,
    assertionAlg: metadata.token_endpoint_auth_signing_alg,
    sector: metadata.subject_type === "pairwise" ? sectorHost(metadata) : undefined,
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
    allowsRedirectUri: (redirectUri) =>
      redirectUris.some((registered) => matchesRedirectUri(registered, redirectUri, isNative)),
  };
  // Once it is available, no caller has to wait.
  chain(client.secretDigest, (secretDigest) => void Object.assign(client, { secretDigest }));
  return client;
}

/** The host that pairwise subjects are for (OpenID Connect Core §8.1); `undefined` when there is no single one. */
export function sectorHost({ sector_identifier_uri, redirect_uris = [] }: ClientMetadata): string | undefined {
  const hosts = new Set(
    (sector_identifier_uri ? [sector_identifier_uri] : redirect_uris).map((uri) => new URL(uri).hostname),
  );
  return hosts.size === 1 ? [...hosts][0] || undefined : undefined;
}
