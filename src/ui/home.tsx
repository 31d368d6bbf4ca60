/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** The home page: what this server is, how to point a client at it, and what it knows. */

import type { VNode } from "preact";
import type { HomeProps } from "../app/pages.ts";
import { Layout, Section } from "./layout.tsx";
import { StartButtons } from "./page_actions.tsx";
import { Code, CopyableValue, DefinitionItem } from "./value.tsx";

/** True of what a browser can simply open: the metadata and the keys. */
function isDocument({ name, url }: HomeProps["endpoints"][number]): boolean {
  return name === "jwks_uri" || url.includes("/.well-known/");
}

/** Names that lead to pages, with ids beside them. */
function DirectoryList(
  { things: items, none: emptyText }: {
    readonly things: readonly { readonly id: string; readonly name?: string; readonly href: string }[];
    readonly none: string;
  },
): VNode {
  if (items.length === 0) return <p>{emptyText}</p>;
  return (
    <dl class="facts even">
      {items.map(({ id, name, href }) => (
        <DefinitionItem
          key={id}
          label={
            <a href={href}>
              <bdi>{name ?? id}</bdi>
            </a>
          }
        >
          <Code text={id} />
        </DefinitionItem>
      ))}
    </dl>
  );
}

/** The page at the issuer itself. */
export function Home(props: HomeProps): VNode {
  const { base, issuer, startLinks, directory, endpoints, scopes } = props;
  const discovery = endpoints.find(({ url }) => url.includes("/.well-known/openid-configuration")) ??
    endpoints.find(({ url }) => url.includes("/.well-known/"));
  const [main] = startLinks;
  const flows = props.links?.find(({ path }) => path === "/flows");
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
                  <Code text={main.clientId} />; the code arrives on a page of this server.
                  {flows && (
                    <>
                      {" "}Afterwards, <a href={base + flows.path}>{flows.label}</a> shows what happened, step by step.
                    </>
                  )}
                </p>
                <nav class="ways" aria-label="Demo flows">
                  <StartButtons label="Start the demo flow" links={startLinks} />
                </nav>
              </>
            )
            : (
              <p>
                There is no demo flow to start, because no client is registered with the redirect URI{" "}
                <Code text={`${issuer}/authorized`} />.
              </p>
            )}
        </>
      }
    >
      <Section id="connect" heading="Point a client at it">
        <p>A client library usually wants the issuer alone, and reads the rest from the discovery document.</p>
        <dl class="values">
          <CopyableValue label="Issuer" text={issuer} />
          {discovery && <CopyableValue label="Discovery document" text={discovery.url} />}
        </dl>
      </Section>
      {directory !== undefined && (
        <>
          <Section id="clients" heading="Clients">
            <DirectoryList
              things={directory.clients.map(({ id, name, href }) => ({ id, name, href }))}
              none="No client is registered, so every authorization request will be refused."
            />
            <p class="ways">
              <a href={`${base}/clients`}>What they may do, and settings to paste</a>
            </p>
          </Section>
          <Section id="users" heading="Users">
            <DirectoryList
              things={directory.users.map(({ sub, name, href }) => ({ id: sub, name, href }))}
              none="No user is set up, so there is nobody whom a token could speak for."
            />
            <p class="ways">
              <a href={`${base}/users`}>What tokens tell of them</a>
            </p>
          </Section>
        </>
      )}
      <Section id="endpoints" heading="Endpoints">
        <dl class="facts even">
          {endpoints.map(({ name, url }) => (
            <DefinitionItem key={url} label={<Code text={name} />}>
              {isDocument({ name, url })
                ? (
                  <a href={new URL(url).pathname}>
                    <Code text={url} />
                  </a>
                )
                : <Code text={url} />}
            </DefinitionItem>
          ))}
        </dl>
      </Section>
      <Section id="scopes" heading="Scopes">
        <p>What tokens can allow. A client asks for some of these; the token says which it got.</p>
        <p>
          <Code text={scopes.join(" ")} />
        </p>
      </Section>
    </Layout>
  );
}
