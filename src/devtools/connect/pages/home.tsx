/** @jsxImportSource preact */
/** The home page: how to start the demo flow and how to connect a client; clients, users, endpoints and scopes. */

import type { VNode } from "preact";
import type { ListedClient } from "./client_details.tsx";
import type { ListedUser } from "./users.tsx";
import { type ClientSnippet, ClientSnippets } from "./client_snippets.tsx";
import { Layout, Panes, Section, type Site, Stylesheet } from "../../../server/pages/layout.tsx";
import { ClockNotice, Notice } from "../../../server/pages/notice.tsx";
import { type RecentFlow, RecentFlows } from "./recent_flows.tsx";
import { NoDemoFlow, StartButtons, type StartLink } from "../../../server/pages/page_actions.tsx";
import { Code, CopyableValue, DefinitionItem } from "../../../server/pages/value.tsx";

/** The home page. */
export interface HomeProps extends Site {
  /** One per client whose redirect URI is this server's `/authorized`; the first is the main one. */
  readonly startLinks: readonly StartLink[];
  /** The form that adds a client for the demo flow; absent if the visitor may not. */
  readonly addPath?: string;
  /** Clients and users; absent if the page must not show them. */
  readonly directory?: { readonly clients: readonly ListedClient[]; readonly users: readonly ListedUser[] };
  /** The settings of a client for each library; absent if there is no client, or the page must not show it. */
  readonly connect?: ConnectProps;
  /** Whether visitors may add clients, and choose the user of automatic login. */
  readonly edits: boolean;
  /** The last recorded flows, newest first; absent if the page must not show them. */
  readonly flows?: readonly RecentFlow[];
  /** Whether the store keeps tokens and keys when the server stops. */
  readonly persistent: boolean;
  /** Name (as in metadata) and absolute URL of each endpoint, and of the metadata documents. */
  readonly endpoints: readonly { readonly name: string; readonly url: string }[];
  /** The profile of the server; absent: none. */
  readonly profile?: string;
  /** The host of this request, if it is not that of the issuer; absent if they are equal. */
  readonly otherHost?: string;
  /** Whether users log in on a page. */
  readonly login: "automatic" | "page";
  /** Every scope value of the server. */
  readonly scopes: readonly string[];
}

/** The settings of a client for each library. */
export interface ConnectProps {
  /** The client. */
  readonly client: ListedClient;
  /** Whether its redirect URI is a page of this server, so that an application needs another one. */
  readonly usesOwnPage: boolean;
  /** Its settings, by library. */
  readonly snippets: readonly ClientSnippet[];
  /** The library that the address names. */
  readonly library?: string;
}

/** Names with links to their pages, and IDs. */
function DirectoryList(
  { items, none: emptyText }: {
    readonly items: readonly { readonly id: string; readonly name?: string; readonly href: string }[];
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

/** Settings to paste into an application. */
function Connect(
  { base, edits, connect: { client, usesOwnPage, snippets, library } }: {
    readonly base: string;
    readonly edits: boolean;
    readonly connect: ConnectProps;
  },
): VNode {
  return (
    <Section id="connect" heading="Connect your app">
      <p>
        These settings are for the client{" "}
        <a href={client.href}>
          <bdi>{client.name ?? client.id}</bdi>
        </a>
        {usesOwnPage && (edits
          ? (
            <>
              , whose redirect URI is a page of this server. <a href={`${base}/clients#add`}>Add a client</a>{" "}
              with the redirect URI of your app: the page of that client has its settings.
            </>
          )
          : ", whose redirect URI is a page of this server. Configure a client with the redirect URI of your app.")}
        {!usesOwnPage && ". The page of each other client has its settings."}
      </p>
      <ClientSnippets
        settings={snippets}
        library={library}
        path={`${base}/`}
        section="connect"
      />
    </Section>
  );
}

/** Shorter names fit into their column. */
const minBreakableLength = 24;

/** The name of an endpoint; a long one breaks after an underscore. */
function EndpointName({ name }: { readonly name: string }): VNode {
  const words = name.length < minBreakableLength ? [name] : name.split(/(?<=_)/);
  return <code class="wire">{words.map((word, i) => i === 0 ? word : [<wbr key={i} />, word])}</code>;
}

/** The page at the issuer itself. */
export function Home(props: HomeProps): VNode {
  const {
    base,
    issuer,
    startLinks,
    addPath,
    directory,
    endpoints,
    profile,
    scopes,
    login,
    persistent,
    edits,
  } = props;
  const lastFlows = props.flows ?? [];
  const discovery = endpoints.find(({ url }) => url.includes("/.well-known/openid-configuration")) ??
    endpoints.find(({ url }) => url.includes("/.well-known/"));
  const [main] = startLinks;
  const flows = props.links?.find(({ path }) => path === "/flows");
  return (
    <Layout
      site={props}
      head={["values", "connect"].map((name) => <Stylesheet key={name} site={props} name={name} />)}
      title="Authorization server"
      heading={
        <>
          Latchkey is running at <Code text={issuer} />
        </>
      }
      opening={
        <>
          <ClockNotice site={props} />
          {props.otherHost !== undefined && (
            <Notice kind="warn">
              <p>
                You opened this page at <Code text={props.otherHost} />, but clients and links use the issuer,{" "}
                <Code text={issuer} />. Change the port or the issuer so that the two match.
              </p>
            </Notice>
          )}
          <p>
            OAuth 2.1{scopes.includes("openid") && " and OpenID Connect"}
            {profile !== undefined && (
              <>
                , with the profile <Code text={profile} />
              </>
            )}.
          </p>
          {main
            ? (
              <nav class="ways" aria-label="Demo flows">
                <StartButtons label="Start the demo flow" links={startLinks} />
                {flows && <a href={base + flows.path}>Watch each request</a>}
              </nav>
            )
            : <NoDemoFlow site={props} addPath={addPath} />}
          <dl class="values">
            <CopyableValue label="Issuer" text={issuer} />
            {discovery && <CopyableValue label="Discovery document" text={discovery.url} />}
          </dl>
          <dl class="facts even">
            <DefinitionItem label="Login">
              {login === "page" ? "on a page" : (
                <>
                  automatic, as {directory?.users[0]?.sub ?? "the first user"}
                  {edits && (directory?.users.length ?? 0) > 1 && (
                    <>
                      . <a href={`${base}/users`}>Switch user</a>
                    </>
                  )}
                </>
              )}
            </DefinitionItem>
            <DefinitionItem label="Store">
              {persistent
                ? "persistent: tokens and keys survive a restart"
                : "memory: tokens and keys are lost when the server stops"}
            </DefinitionItem>
          </dl>
          <p class="aside">Most client libraries need only the issuer and read the rest from the discovery document.</p>
        </>
      }
    >
      {props.connect && <Connect base={base} edits={edits} connect={props.connect} />}
      {lastFlows.length > 0 && <RecentFlows base={base} flows={lastFlows} />}
      {directory !== undefined && (
        <Panes>
          <Section id="clients" heading="Clients">
            <DirectoryList
              items={directory.clients.map(({ id, name, href }) => ({ id, name, href }))}
              none="No client is registered, so the server rejects every authorization request."
            />
            <p class="ways">
              <a href={`${base}/clients`}>All clients, with settings to paste</a>
            </p>
          </Section>
          <Section id="users" heading="Users">
            <DirectoryList
              items={directory.users.map(({ sub, name, href }) => ({ id: sub, name, href }))}
              none="No user is configured, so no user can log in."
            />
            <p class="ways">
              <a href={`${base}/users`}>All users, with their claims</a>
            </p>
          </Section>
        </Panes>
      )}
      <Section id="endpoints" heading="Endpoints and scopes">
        <details>
          <summary>{endpoints.length} endpoints and documents, {scopes.length} scope values</summary>
          <dl class="facts even">
            {endpoints.map(({ name, url }) => (
              <DefinitionItem key={url} label={<EndpointName name={name} />}>
                {/* A browser can open the metadata and the keys. */}
                {name === "jwks_uri" || url.includes("/.well-known/")
                  ? (
                    <a href={new URL(url).pathname}>
                      <Code text={url} />
                    </a>
                  )
                  : <Code text={url} />}
              </DefinitionItem>
            ))}
          </dl>
          <p id="scopes">
            A client requests some of these scope values; its token lists the granted ones:{" "}
            <Code text={scopes.join(" ")} />
          </p>
        </details>
      </Section>
    </Layout>
  );
}
