import { createServer } from "node:net";
import { expect, test } from "vitest";
import { createPinterest } from "#lib/integrations/pinterest/client.ts";
import { toNoResponseReason } from "#lib/integrations/pinterest/http.ts";

const closedPort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
};

/** As `fetch` throws it. */
const fetchFailed = (cause: unknown) => new TypeError("fetch failed", { cause });

const systemError = (code: string, syscall?: string) =>
  Object.assign(new Error(`${syscall} ${code}`), { code, ...(syscall && { syscall }) });

test.each([
  ["unsent", "ECONNREFUSED", "connect"],
  ["unsent", "EHOSTUNREACH", "connect"],
  ["unsent", "ENETUNREACH", "connect"],
  ["unsent", "ENOTFOUND", "getaddrinfo"],
  ["unsent", "EAI_AGAIN", "getaddrinfo"],
  ["unsent", "UND_ERR_CONNECT_TIMEOUT", undefined],
  ["network", "EHOSTUNREACH", "read"],
  ["network", "ENETUNREACH", "write"],
  ["network", "ECONNREFUSED", undefined],
  ["network", "ECONNRESET", "read"],
  ["network", "UND_ERR_SOCKET", undefined],
])("R-SRV-03 %s: %s of %s", (silence, code, syscall) => {
  expect(toNoResponseReason(fetchFailed(systemError(code, syscall)))).toBe(silence);
});

test("R-SRV-03 all of several addresses must have refused the connection", () => {
  const refused = systemError("ECONNREFUSED", "connect");
  const several = (...errors: Error[]) =>
    toNoResponseReason(fetchFailed(Object.assign(new AggregateError(errors), { code: "ECONNREFUSED" })));
  expect(several(refused, systemError("ENETUNREACH", "connect"))).toBe("unsent");
  expect(several(refused, systemError("EHOSTUNREACH", "read"))).toBe("network");
  expect(several()).toBe("network");
});

test("R-SRV-03 without a connection nothing was sent, so no board check is needed", async () => {
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
    boardSectionId: null,
    title: "T",
    description: "",
    altText: "",
    link: null,
    media: { kind: "image" as const, jpeg: new Uint8Array([1]) },
    aiModified: true,
  };
  expect(await client.createPin("token", pin)).toMatchObject({ kind: "refused", problem: { kind: "unavailable" } });
});
