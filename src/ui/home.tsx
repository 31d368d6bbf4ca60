/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** The home page: what this server is, how to point a client at it, and what it knows. */

import type { VNode } from "preact";
import type { HomeProps } from "../endpoints/pages.ts";
import { Layout, Section } from "./layout.tsx";
import { Start } from "./start.tsx";
import { Fact, Value, Wire } from "./value.tsx";

const authentication: Readonly<Record<string, string>> = {
  none: "a public client: it has no secret and relies on PKCE",
  client_secret_basic: "a confidential client: id and secret travel in the Authorization header",
  client_secret_post: "a confidential client: id and secret travel in the request body",
};

/** True of what a browser can simply open: the metadata and the keys. */
function isDocument({ name, url }: HomeProps["endpoints"][number]): boolean {
  return name === "jwks_uri" || url.includes("/.well-known/");
}

function Client({ client }: { readonly client: HomeProps["clients"][number] }): VNode {
  const { id, name, authMethod, redirectUris, scope } = client;
  return (
    <article>
      <h3>{name ?? id}</h3>
      <dl class="facts">
        <Fact label="Client ID">
          <Wire text={id} />
        </Fact>
        <Fact label="Authentication">
          <Wire text={authMethod} />
          {Object.hasOwn(authentication, authMethod) && <>, {authentication[authMethod]}</>}
        </Fact>
        {redirectUris.length > 0 && (
          <Fact label={redirectUris.length === 1 ? "Redirect URI" : "Redirect URIs"}>
            {redirectUris.map((uri) => (
              <div key={uri}>
                <Wire text={uri} />
              </div>
            ))}
          </Fact>
        )}
        {scope.length > 0 && (
          <Fact label="Scope">
            <Wire text={scope.join(" ")} />
          </Fact>
        )}
      </dl>
    </article>
  );
}

/** The page at the issuer itself. */
export function Home(props: HomeProps): VNode {
  const { issuer, startLinks, clients, users, endpoints, scopes } = props;
  const discovery = endpoints.find(({ url }) => url.includes("/.well-known/openid-configuration")) ??
    endpoints.find(({ url }) => url.includes("/.well-known/"));
  const [main] = startLinks;
  return (
    <Layout
      site={props}
      heading="This is an authorization server"
      opening={
        <>
          <p>
            It lets an application act for a person without ever holding that person's password. The application sends
            the browser here, gets a code back, and exchanges the code for a token. This one speaks OAuth 2.1
            {scopes.includes("openid") && " and OpenID Connect"}.
          </p>
          {main
            ? (
              <>
                <p>
                  To see it happen, send an authorization request as{" "}
                  <Wire text={main.clientId} />; the code arrives on a page of this server.
                </p>
                <nav class="ways" aria-label="Demo flows">
                  <Start label="Start the demo flow" links={startLinks} />
                </nav>
              </>
            )
            : (
              <p>
                There is no demo flow to start, because no client is registered with the redirect URI{" "}
                <Wire text={`${issuer}/authorized`} />.
              </p>
            )}
        </>
      }
    >
      <Section id="connect" heading="Point a client at it">
        <p>A client library usually wants the issuer alone, and reads the rest from the discovery document.</p>
        <dl class="values">
          <Value label="Issuer" text={issuer} />
          {discovery && <Value label="Discovery document" text={discovery.url} />}
        </dl>
      </Section>
      <Section id="clients" heading="Clients">
        {clients.length > 0
          ? clients.map((client) => <Client key={client.id} client={client} />)
          : <p>No client is registered, so every authorization request will be refused.</p>}
      </Section>
      <Section id="users" heading="Users">
        {users.length > 0
          ? (
            <>
              <p>A client knows a person by the subject, which never changes and is never given to somebody else.</p>
              <dl class="facts">
                {users.map(({ sub, name }) => (
                  <Fact key={sub} label={name ?? "Unnamed"}>
                    <Wire text={sub} />
                  </Fact>
                ))}
              </dl>
            </>
          )
          : <p>No user is set up, so there is nobody whom a token could speak for.</p>}
      </Section>
      <Section id="endpoints" heading="Endpoints">
        <dl class="facts">
          {endpoints.map(({ name, url }) => (
            <Fact key={url} label={<Wire text={name} />}>
              {isDocument({ name, url })
                ? (
                  <a href={new URL(url).pathname}>
                    <Wire text={url} />
                  </a>
                )
                : <Wire text={url} />}
            </Fact>
          ))}
        </dl>
      </Section>
      <Section id="scopes" heading="Scopes">
        <p>What tokens can allow. A client asks for some of these; the token says which it got.</p>
        <p>
          <Wire text={scopes.join(" ")} />
        </p>
      </Section>
    </Layout>
  );
}
