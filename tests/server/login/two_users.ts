/** What the tests of account selection share: two users, and the headers of a browser. */

import type { ListedOptions } from "../../kit.ts";

/** What a browser sends for a page; without a secure context, only `Accept`. */
export const browserHeaders: readonly Record<string, string>[] = [
  { "sec-fetch-dest": "document", "sec-fetch-mode": "navigate", "sec-fetch-site": "none" },
  { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" },
];

export const twoUsers: ListedOptions = {
  users: [
    { sub: "alice", name: "Alice" },
    // The digest of a password that no test knows: automatic login asks for none.
    {
      sub: "bob",
      password: "$scrypt$ln=10,r=8,p=1$4fXXG0spB92WPB1NitT8/Q$dAf4FAXv5aPZ5rXGwYtVjPyLZkUJzYV6c9xJFXG1bBo",
    },
  ],
};
