/** Verbs of tenants: separate issuers on the host of the server, for tests that run at the same time. */

import type { User } from "../../../core/clients/client.ts";
import type { ClientMetadata } from "../../../server/config/client_metadata.ts";
import { anyValue, list, object, record, text, whole } from "../../../core/policy/field.ts";
import type { Tenant, TenantOptions } from "../../test_control.ts";
import { notFound } from "../control_error.ts";
import { defineVerb, noInput } from "../verb.ts";

/** The options of a new tenant. All are optional. */
interface NewTenant {
  /**
   * Settings of the configuration file, except those for the address of the process. Default: the defaults of a mock.
   */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The clients, as in the configuration file. Default: none. */
  readonly clients?: readonly ClientMetadata[];
  /** The users, as in the configuration file. Default: `alice` and `bob`. */
  readonly users?: readonly User[];
  /** Seconds without a request after which the server removes the tenant. Default: 3600. */
  readonly lifetime?: number;
  /** Seed that makes codes, tokens, ids and times the same on every run. Default: random values. */
  readonly seed?: string;
  /** The initial time of the clock of the tenant, in ISO 8601. Default: the current time. */
  readonly startsAt?: string;
}

/** A tenant. */
interface DescribedTenant {
  /** The id of the tenant. */
  readonly id: string;
  /** The issuer identifier of the tenant. */
  readonly issuer: string;
  /** The URL of the control of the tenant, which has the same verbs and the same secret. */
  readonly control: string;
}

/** The tenants of the server. */
interface TenantList {
  /** The tenants, oldest first. */
  readonly tenants: readonly DescribedTenant[];
}

/** A tenant. */
interface TenantId {
  /** The id of the tenant. */
  readonly id: string;
}

const issuer = "http://localhost:9000/tenants/WmVyb2VzIGFuZCBvbmVz";
const example: DescribedTenant = { id: "WmVyb2VzIGFuZCBvbmVz", issuer, control: `${issuer}/_control` };

const description = object<DescribedTenant>("DescribedTenant", {
  ...{ id: text([example.id]), issuer: text([example.issuer]), control: text([example.control]) },
}, example);

/** The issuer and the URL of the control, with the host name that the request was sent to. */
function describe({ id, issuer }: Pick<Tenant, "id" | "issuer">): DescribedTenant {
  return { id, issuer, control: `${issuer}/_control` };
}

/** The verbs that create, list and remove tenants. */
export const tenantVerbs = [
  defineVerb<NewTenant, DescribedTenant>({
    name: "tenants.create",
    summary: "Creates a separate issuer below `/tenants`, with its own control, isolated from all others.",
    input: object<NewTenant>("NewTenant", {
      settings: record(anyValue, { lifetimes: { access_token: 60 } }, "an object of settings"),
      clients: list(record(anyValue, { client_id: "web" }, "client metadata (RFC 7591 §2)") as never, [[]], {
        expected: "an array of clients",
      }),
      users: list(record(anyValue, { sub: "carol" }, "a user") as never, [[{ sub: "carol" }]], {
        expected: "an array of users",
      }),
      lifetime: whole(3600, { min: 1, expected: "a whole number of seconds, at least 1" }),
      seed: text(["1"]),
      startsAt: text(["2026-01-01T00:00:00Z"]),
    }, { settings: { lifetimes: { access_token: 60 } }, users: [{ sub: "carol" }] }),
    result: description,
    async run({ app, control, name, endpoints }, options) {
      const origin = app.server.policy.isIssuerFromHost ? new URL(name.issuer).origin : undefined;
      return describe(await control.tenants.create(options as TenantOptions, origin, endpoints));
    },
  }),
  defineVerb({
    name: "tenants.all",
    summary: "Lists the tenants.",
    reads: true,
    ...noInput,
    result: object<TenantList>("TenantList", { tenants: list(description, [[example]]) }, { tenants: [example] }),
    returns: "tenants",
    run: ({ control }) => ({ tenants: control.tenants.all().map(describe) }),
  }),
  defineVerb<TenantId, void>({
    name: "tenants.remove",
    summary: "Removes a tenant with everything that it issued; 409 if a fault fired less often than expected.",
    input: object<TenantId>("TenantId", { id: text([example.id]) }, { id: example.id }, { required: ["id"] }),
    args: ["id"],
    async run({ control }, { id }) {
      const tenant = control.tenants.find(id);
      if (tenant === undefined) throw notFound("No tenant has this id.", "id", "the id of a tenant", id);
      await tenant.close();
    },
  }),
];
