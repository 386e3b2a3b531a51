import { expect, test } from "vitest";
import { freshFolder, ownAccount, send, start } from "./sandbox-pinterest-client.ts";

test.each([
  ["GET", "/boards/1"],
  ["GET", "/pins"],
  ["PATCH", "/pins/1"],
  ["DELETE", "/pins/1"],
  ["GET", "/media"],
  ["POST", "/oauth/token/revoke"],
])("R-SRV-10 %s %s, which the product does not call, is a 501 that names it", async (method, path) => {
  await using pinterest = await start(freshFolder());
  const { access } = await ownAccount(pinterest.url, 1);
  const answer = await send(pinterest.url, method, path, access, method === "GET" ? undefined : {});
  expect(answer.status).toBe(501);
  expect(JSON.stringify(answer.body)).toContain(`${method} /v5${path} is not supported by this stand-in`);
});
