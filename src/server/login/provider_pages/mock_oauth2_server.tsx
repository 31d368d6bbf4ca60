/** @jsxImportSource preact */
/**
 * mock-oauth2-server: navikt/mock-oauth2-server src/main/resources/templates/login.ftl. Its form is posted to the
 * authorization URL; any subject logs in.
 */

import type { VNode } from "preact";
import { Document } from "./document.tsx";
import { FaultText } from "./login_screen.tsx";
import type { ProviderPage, ScreenProps } from "./provider_page.ts";

const claimsExample = `Optional claims JSON value, example:
{
  "acr": "reference"
}`;

function Login(props: ScreenProps): VNode {
  const { action, username, reason } = props;
  return (
    <Document props={props} title="mock-oauth2-server | Just a mock login">
      <h1 class="title">Mock OAuth2 Server Sign-in</h1>
      <form class="form" method="post" action={action}>
        <div class="field">
          <input
            {...{ name: "username", type: "text", value: username, required: true, autofocus: true }}
            {...{ class: "u-full-width", placeholder: "Enter any user/subject", "aria-label": "Subject" }}
          />
        </div>
        <div class="field">
          <textarea
            {...{ name: "claims", rows: 8, class: "u-full-width claims", "aria-label": "Claims" }}
            placeholder={claimsExample}
          />
          {reason !== undefined && <FaultText text={reason} />}
        </div>
        <input class="button-primary" type="submit" value="Sign-in" />
      </form>
    </Document>
  );
}

export const mockOAuth2Server: ProviderPage = {
  state: "state",
  screens: [{ path: () => "", isInPlace: true, username: "username", Page: Login }],
  isStateless: true,
};
