/** Backchannel authentication (CIBA): a correct client that starts the login of a user, and the user who decides. */

import { cibaGrant } from "../server/extensions/ciba/settings.ts";
import { object, objectField, text } from "../core/policy/field.ts";
import type { RequestParameters } from "../client/parameters.ts";
import type { ClientCredentials } from "../client/authentication.ts";
import { assertOptions } from "./options.ts";
import { type Polled, type PolledRequestOptions, polledRequests, type RequestUser } from "./polled_request.ts";

/** @internal Options of a backchannel authentication request. */
export interface BackchannelOptions {
  /** The `login_hint`: `sub`, e-mail address or `preferred_username` of the user. */
  readonly user?: string;
  /** Space-separated. Default: `openid`. */
  readonly scope?: string;
  /** The text that the client and the page of the user both show. Default: none. */
  readonly bindingMessage?: string;
  /** Further parameters of the request. */
  readonly params?: RequestParameters;
}

const backchannelField = object<BackchannelOptions>("BackchannelOptions", {
  user: text(["alice"]),
  scope: text(["openid read"]),
  bindingMessage: text(["Payment 42"]),
  params: objectField,
}, {});

/** @internal A request that waits for its user, whichever `login` the server has. */
export interface TestBackchannelRequest extends RequestUser, Polled {
  /** The `auth_req_id` that the client polls with. */
  readonly authReqId: string;
  /** The lifetime, in seconds. */
  readonly expiresIn: number;
}

/** Starts backchannel authentication, and decides for its users. */
export interface BackchannelClient {
  /**
   * Starts the login of a user, who decides by `approve()` or `deny()`.
   *
   * @throws {LoginError} If the server rejects the request.
   *
   * @example
   * ```ts ignore
   * const grant_types = ["urn:openid:params:grant-type:ciba"];
   * const request = await as.startBackchannel(as.client({ confidential: true, grant_types }), { user: "bob" });
   * await request.approve();
   * const { id_token } = await request.poll();
   * ```
   */
  startBackchannel(client: ClientCredentials, options?: BackchannelOptions): Promise<TestBackchannelRequest>;
  /**
   * The user of a request that the software under test started, by its `auth_req_id`. Without login pages it is
   * approved immediately, unless {@link UserDecisions.deferRequests} was called.
   */
  backchannel(authReqId: string): RequestUser;
}

/** Creates the functions for backchannel authentication at one server. */
export function backchannelClient(options: PolledRequestOptions): BackchannelClient {
  const requests = polledRequests(options, {
    ...{ grant: cibaGrant, endpoint: "backchannel_authentication", page: "backchannel" },
    query: (authReqId) => ({ request_id: authReqId.split(".", 1)[0]! }),
  });
  return {
    backchannel: requests.user,
    async startBackchannel(client, options = {}) {
      assertOptions("startBackchannel", backchannelField, options);
      const { user, scope = "openid", bindingMessage, params } = options;
      const { started, polled } = await requests.start(client, {
        ...{ scope, login_hint: user, binding_message: bindingMessage },
        ...params,
      });
      const authReqId = String(started.auth_req_id);
      return Object.assign(polled, requests.user(authReqId), { authReqId, expiresIn: Number(started.expires_in) });
    },
  };
}
