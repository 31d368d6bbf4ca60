import { testLatchkey } from "@latchkey/latchkey/testing";
import type { TestLatchkey } from "@latchkey/latchkey/testing";
import { checks } from "./sample";

for (const [name, check] of Object.entries(checks)) test(name, check);

describe("one server for the whole file", () => {
  let as: TestLatchkey;
  let client: ReturnType<TestLatchkey["client"]>;
  beforeAll(async () => {
    as = await testLatchkey();
    client = as.client();
  });
  afterEach(() => as.reset({ keep: ["clients"] }));
  afterAll(() => as.close());

  test.each(["alice", "bob"])("%s logs in", async (sub) => {
    const { claims } = await as.logIn(client, { as: sub });
    expect(claims!.sub).toBe(sub);
  });

  test("a client error is reported", async () => {
    await expect(as.logIn(client, { token: { code: "x" } })).rejects.toThrow("TK-16");
  });
});
