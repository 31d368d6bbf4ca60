/**
 * Rich authorization requests on every store, at two instances (group RA).
 *
 * @extensions assertion_authentication
 */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { storeKinds } from "../../../platform/store/store_kinds.ts";
import { countOutcomes, refresh, refreshTokens, type Tokens } from "../../client_endpoints.ts";
import { assertTokenResponse, testServer } from "../../../kit.ts";
import { details, editFiles, payment, readFiles, richOptions } from "./rich_requests.ts";

// Names that a store might treat as something else.
const odd = { ...readFiles, options: { "a.b": [null, 1e21, "\u0001é\u{1F600}"], "": {}, constructor: { length: 0 } } };

for (const [name, skip, create] of storeKinds) {
  test(
    `[RA-07, RA-09] on ${name} a grant is stored unchanged, and of 20 concurrent token requests one narrows it`,
    { skip },
    async () => {
      const open = create();
      const first = await testServer({ ...richOptions, store: await open() });
      const second = await testServer({ ...richOptions, store: await open() });
      const granted = [payment, editFiles, odd];
      const code = await first.code(details(...granted));
      const responses = await Promise.all(
        Array.from(
          { length: 20 },
          (_, i) => (i % 2 === 0 ? first : second).token({ code, ...details(payment, payment) }),
        ),
      );
      assertEquals(await countOutcomes(responses), { "400 invalid_authorization_details": 20 });
      const exchanged = await Promise.all(
        Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? first : second).token({ code, ...details(payment) })),
      );
      const outcomes = await countOutcomes(exchanged.map((response) => response.clone()));
      assertEquals(outcomes, { "200": 1, "400 invalid_grant": 19 });
      // The other 19 were replays, so the grant is revoked.
      const tokens = await assertTokenResponse(exchanged.find(({ status }) => status === 200)!) as Tokens;
      assertEquals((tokens as unknown as Record<string, unknown>).authorization_details, [payment]);
      assertEquals((await refresh(second, tokens.refresh_token)).status, 400);
      const next = await second.code(details(...granted));
      const whole = await assertTokenResponse(await first.token({ code: next })) as Tokens;
      assertEquals((whole as unknown as Record<string, unknown>).authorization_details, granted);
      const refreshed = await refreshTokens(second, whole.refresh_token);
      assertEquals((refreshed as unknown as Record<string, unknown>).authorization_details, granted);
      for (const { as } of [first, second]) await as.close();
    },
  );
}
