/** A small test with the mock, whose type check is measured. */

import { faults, testLatchkey } from "@latchkey/latchkey/testing";

await using as = await testLatchkey();
const client = as.client();
const { tokens, claims } = await as.logIn(client);
as.on("token").once(faults.error("invalid_grant"));
as.log.expect("token").called(1).by(client).succeeded();
console.log(tokens.access_token, claims?.sub);
