import { createServer } from "node:net";
import { expect, test } from "vitest";
import { createPinterest } from "#lib/integrations/pinterest/client.ts";

const closedPort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
};

test("R-SRV-03 without a connection nothing was sent, so there is nothing to look for", async () => {
  const origin = `http://127.0.0.1:${await closedPort()}`;
  const client = createPinterest({
    appId: "a",
    appSecret: "s",
    apiUrl: `${origin}/v5`,
    oauthUrl: origin,
    webUrl: origin,
  });
  const pin = {
    boardId: "1",
    title: "T",
    description: "",
    altText: "",
    link: null,
    jpeg: new Uint8Array([1]),
    aiModified: true,
  };
  expect(await client.createPin("token", pin)).toMatchObject({ kind: "refused", problem: { kind: "unavailable" } });
});
