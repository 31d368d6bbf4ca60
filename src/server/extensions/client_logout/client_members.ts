import { type Fields, flag, text } from "../../config/field.ts";
import { open } from "../../config/client_fields.ts";

/** Client metadata of client logout. */
export interface LogoutClientMembers {
  /**
   * The URL that the server posts a logout token to when a session ends in which the client got an ID token (OpenID
   * Connect Back-Channel Logout): https, or http on a test host if the client authenticates.
   */
  readonly backchannel_logout_uri?: string;
  /** Whether the logout token must contain `sid`; it always does. Default: false. */
  readonly backchannel_logout_session_required?: boolean;
  /**
   * The URL that the logout page shows in a hidden frame, with `iss` and `sid`, when a session ends in which the client
   * got an ID token (OpenID Connect Front-Channel Logout). Its scheme, host and port are those of a redirect URI.
   */
  readonly frontchannel_logout_uri?: string;
  /** Whether that URL must contain `iss` and `sid`; it always does. Default: false. */
  readonly frontchannel_logout_session_required?: boolean;
}

/** Describes {@link LogoutClientMembers}. */
export const logoutClientFields: Fields<LogoutClientMembers> = {
  backchannel_logout_uri: { ...open(text(["https://app.example/backchannel-logout"])), isFetched: true },
  backchannel_logout_session_required: open(flag(false)),
  frontchannel_logout_uri: { ...open(text(["https://app.example/frontchannel-logout"])), isFetched: true },
  frontchannel_logout_session_required: open(flag(false)),
};
