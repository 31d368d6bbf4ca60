/** Backchannel authentication (CIBA): a correct client that starts the login of a user, and the user who decides. */

import { cibaGrant } from "../extensions/ciba/settings.ts";
import { object, text } from "../oauth/config/field.ts";
import type { RequestParameters, TestBrowser } from "./browser/test_browser.ts";
import type { ClientCredentials } from "./client_authentication.ts";
import type { TestClock } from "./clock.ts";
import { LoginError } from "./login_error.ts";
import type { LoginClient, PostForm } from "./login.ts";
import { assertOptions, objectOption } from "./options.ts";
import { deferredPersona, type Persona, personaHeader } from "./persona.ts";
import { type Polled, polled } from "./poll.ts";

/** Options of a backchannel authentication request. */
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
  params: objectOption,
}, {});

/** The user of a backchannel authentication request. */
export interface BackchannelUser {
  /**
   * Opens the request in a browser, logs in and allows.
   *
   * @param persona What the user denies. The user is that of the request.
   * @throws {LoginError} If the server rejects it.
   */
  approve(persona?: Persona): Promise<void>;
  /** Opens the request in a browser, and denies. @throws {LoginError} As {@link BackchannelUser.approve}. */
  deny(): Promise<void>;
}

/** A request that waits for its user, whichever `login` the server has. */
export interface TestBackchannelRequest extends BackchannelUser, Polled {
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
  backchannel(authReqId: string): BackchannelUser;
}

/** The dependencies of a client. */
interface BackchannelClientOptions {
  /** Sends a form to an endpoint, authenticated by the method of the client. */
  readonly post: PostForm;
  readonly token: LoginClient["token"];
  /** Opens a browser without cookies. */
  readonly browser: () => TestBrowser;
  readonly clock: TestClock;
}

/** Creates the functions for backchannel authentication at one server. */
export function backchannelClient({ post, token, browser, clock }: BackchannelClientOptions): BackchannelClient {
  async function decide(authReqId: string, expected: "approved" | "denied", persona: Persona): Promise<void> {
    const result = await browser().openRequest(authReqId.split(".", 1)[0]!, persona);
    if (result !== expected) throw new LoginError(`Expected the request to be ${expected}; it was ${result}`);
  }

  const backchannel = (authReqId: string): BackchannelUser => ({
    approve: (persona = {}) => decide(authReqId, "approved", persona),
    deny: () => decide(authReqId, "denied", { deny: true }),
  });

  return {
    backchannel,
    async startBackchannel(client, options = {}) {
      assertOptions("startBackchannel", backchannelField, options);
      const { user, scope = "openid", bindingMessage, params } = options;
      const endpoint = "backchannel_authentication";
      const started = await post(endpoint, "backchannel authentication endpoint", client, {
        ...{ scope, login_hint: user, binding_message: bindingMessage },
        ...params,
      }, { headers: { [personaHeader]: deferredPersona } });
      const authReqId = String(started.auth_req_id);
      const grant = { grant_type: cibaGrant.type, auth_req_id: authReqId };
      return Object.assign(polled({ token, clock }, client, grant, started), {
        ...backchannel(authReqId),
        ...{ authReqId, expiresIn: Number(started.expires_in) },
      });
    },
  };
}
