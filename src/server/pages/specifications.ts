/** Links to the specifications that rules cite. */

const openidBaseUrl = "https://openid.net/specs/";

/** Title → URL → prefix of section anchors. */
const specifications: readonly (readonly [name: string, address: string, section: string])[] = [
  ["OAuth 2.1", "https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1-16", "#section-"],
  ["OpenID Connect Core", `${openidBaseUrl}openid-connect-core-1_0.html`, "#rfc.section."],
  ["OpenID Connect Registration", `${openidBaseUrl}openid-connect-registration-1_0.html`, "#rfc.section."],
  ["OpenID Connect Discovery", `${openidBaseUrl}openid-connect-discovery-1_0.html`, "#rfc.section."],
  ["OpenID Connect RP-Initiated Logout", `${openidBaseUrl}openid-connect-rpinitiated-1_0.html`, "#rfc.section."],
  ["OpenID Connect Front-Channel Logout", `${openidBaseUrl}openid-connect-frontchannel-1_0.html`, "#rfc.section."],
  ["OpenID Connect Back-Channel Logout", `${openidBaseUrl}openid-connect-backchannel-1_0.html`, "#rfc.section."],
  [
    "OpenID Connect Unmet Authentication Requirements",
    `${openidBaseUrl}openid-connect-unmet-authentication-requirements-1_0.html`,
    "#rfc.section.",
  ],
  [
    "OpenID Connect CIBA",
    `${openidBaseUrl}openid-client-initiated-backchannel-authentication-core-1_0.html`,
    "#rfc.section.",
  ],
  ["OAuth 2.0 Form Post Response Mode", `${openidBaseUrl}oauth-v2-form-post-response-mode-1_0.html`, "#rfc.section."],
  ["OAuth 2.0 Multiple Response Types", `${openidBaseUrl}oauth-v2-multiple-response-types-1_0.html`, "#rfc.section."],
  [
    "Client ID Metadata Document",
    "https://datatracker.ietf.org/doc/html/draft-ietf-oauth-client-id-metadata-document-02",
    "#section-",
  ],
  ["MCP authorization", "https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization", ""],
];

/** The sections that a rule cites, such as `RFC 9700 §4.1.3`, without specifications of unknown URL. */
export function citedSections(cites: readonly string[]): { readonly title: string; readonly url: string }[] {
  return cites.flatMap((cited) => {
    const [name = "", ...sections] = cited.split(/,? (?=§|App\. )/);
    const rfc = /^RFC (\d+)$/.exec(name)?.[1];
    const specification = rfc === undefined
      ? specifications.find(([candidate]) => candidate === name)
      : [name, `https://www.rfc-editor.org/rfc/rfc${rfc}.html`, "#section-"] as const;
    if (specification === undefined) return [];
    const [, address, anchor] = specification;
    if (sections.length === 0 || anchor === "") return [{ title: name, url: address }];
    return sections.map((section) => ({ title: `${name} ${section}`, url: address + sectionAnchor(anchor, section) }));
  });
}

/** `§4.1.3` → `#section-4.1.3`; `App. B` → `#appendix-B`, for IETF documents only. */
function sectionAnchor(anchor: string, section: string): string {
  if (section.startsWith("§")) return anchor + section.slice(1);
  return anchor === "#section-" ? section.replace("App. ", "#appendix-") : "";
}
