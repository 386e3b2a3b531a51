import type { RequestListener } from "node:http";
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createLinks, type LinksOptions } from "#lib/integrations/links/client.ts";
import { startNameServer } from "#tests/support/name-server.ts";
import { startPages } from "#tests/support/page-server.ts";

const pages = async (answer: RequestListener, options?: Parameters<typeof startPages>[1]) => {
  const server = await startPages(answer, options);
  onTestFinished(() => server.close());
  return server;
};

const names = async (...input: Parameters<typeof startNameServer>) => {
  const server = await startNameServer(...input);
  onTestFinished(() => server.close());
  return server;
};

const client = (options: Partial<LinksOptions>) =>
  createLinks({ userAgent: "Mozilla/5.0 (compatible; test)", nameServers: ["127.0.0.1:9"], ...options });

const redirectTo =
  (location: string, status = 302): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { location }).end();

test("R-SRV-08 a page is asked once, by name, without cookie, referrer or credentials, and its body is not read", async () => {
  const chunk = Buffer.alloc(65_536);
  let sent = 0;
  const site = await pages((_request, response) => {
    response.writeHead(200, { "content-type": "text/html", "set-cookie": "a=b" });
    const pour = () => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length;
    };
    response.on("drain", pour).on("close", () => response.destroy());
    pour();
  });
  const server = await names({ "shop.test": () => ["127.0.0.1"] });
  const host = `shop.test:${site.port}`;
  const links = client({ nameServers: [server.address], allowedHosts: [host] });
  const url = `http://${host}/a?b=c`;
  expect(await links.look(url)).toEqual({ kind: "answered", finalUrl: url, status: 200 });
  expect(site.requests).toHaveLength(1);
  const [request] = site.requests;
  expect(request?.url).toBe("/a?b=c");
  expect(Object.keys(request?.headers ?? {}).toSorted()).toEqual([
    "accept",
    "accept-encoding",
    "connection",
    "host",
    "user-agent",
  ]);
  expect(request?.headers).toMatchObject({
    host,
    "accept-encoding": "identity",
    "user-agent": "Mozilla/5.0 (compatible; test)",
  });
  // An endless body stops at what the system's buffers take.
  expect(sent).toBeLessThan(50_000_000);
});

test("R-SRV-08 a bomb in the answer is never unpacked", async () => {
  const site = await pages((_request, response) => {
    response.writeHead(200, { "content-encoding": "gzip", "content-type": "text/html" });
    response.end(Buffer.from("1f8b0800000000000003", "hex"));
  });
  const url = `http://${site.host}/`;
  expect(await client({ allowedHosts: [site.host] }).look(url)).toEqual({
    kind: "answered",
    finalUrl: url,
    status: 200,
  });
});

test.each([200, 204, 301, 304, 401, 403, 404, 405, 410, 418, 429, 500, 503, 999])(
  "an answer of %d is told as it is",
  async (status) => {
    const site = await pages((_request, response) => void response.writeHead(status).end());
    const url = `http://${site.host}/`;
    expect(await client({ allowedHosts: [site.host] }).look(url)).toEqual({ kind: "answered", finalUrl: url, status });
  },
);

test("R-SRV-08 rebinding: the connection goes to the address that was judged, and the name is asked about once", async () => {
  const judged = await pages((_request, response) => void response.end("here"));
  const other = await pages((_request, response) => void response.end("there"), {
    address: "127.0.0.2",
    port: judged.port,
  });
  const server = await names({ "rebind.test": (asked) => [asked === 0 ? "127.0.0.1" : "127.0.0.2"] });
  const host = `rebind.test:${judged.port}`;
  await client({ nameServers: [server.address], allowedHosts: [host] }).look(`http://${host}/`);
  expect([judged.requests.length, other.requests.length, server.asked("rebind.test")]).toEqual([1, 0, 1]);
});

test("R-SRV-08 each redirect is judged anew: by its own addresses, although the same name was open a moment ago", async () => {
  const server = await names({ "turn.test": () => ["127.0.0.1"] });
  const site = await pages(redirectTo("http://turn.test/admin"));
  const host = `turn.test:${site.port}`;
  const answer = await client({ nameServers: [server.address], allowedHosts: [host] }).look(`http://${host}/`);
  expect(answer).toEqual({ kind: "refused", finalUrl: "http://turn.test/admin" });
  expect(server.asked("turn.test")).toBe(2);
});

test.each([
  ["http://127.0.0.1/", "http://127.0.0.1/"],
  ["http://2130706433/", "http://127.0.0.1/"],
  ["//169.254.169.254/latest", "http://169.254.169.254/latest"],
  ["http://[::ffff:10.0.0.1]/", "http://[::ffff:a00:1]/"],
  ["http://user:pass@example.com/", "http://user:pass@example.com/"],
  ["http://example.com:6379/", "http://example.com:6379/"],
  ["file:///etc/passwd", "file:///etc/passwd"],
  ["gopher://127.0.0.1:70/", "gopher://127.0.0.1:70/"],
])("R-SRV-08 a redirect to %s is not followed", async (location, finalUrl) => {
  const site = await pages(redirectTo(location));
  expect(await client({ allowedHosts: [site.host] }).look(`http://${site.host}/`)).toEqual({
    kind: "refused",
    finalUrl,
  });
});

test.each([301, 302, 303, 307, 308])(
  "redirects of status %d are followed one by one, relative ones too",
  async (status) => {
    const site = await pages((request, response) => {
      if (request.url === "/end") response.end();
      else redirectTo("end", status)(request, response);
    });
    expect(await client({ allowedHosts: [site.host] }).look(`http://${site.host}/start`)).toEqual({
      kind: "answered",
      finalUrl: `http://${site.host}/end`,
      status: 200,
    });
  },
);

test("R-SRV-08 whoever looks is asked before each redirect is followed, and its no ends the look there", async () => {
  const site = await pages((request, response) => redirectTo(`${request.url}x`)(request, response));
  const asked: string[] = [];
  const mayFollow = async (url: string) => asked.push(url) < 3;
  const at = (path: string) => `http://${site.host}${path}`;
  const answer = await client({ allowedHosts: [site.host] }).look(at("/a"), { mayFollow });
  expect(answer).toEqual({ kind: "paced", finalUrl: at("/axxx") });
  expect(asked).toEqual([at("/ax"), at("/axx"), at("/axxx")]);
  expect(site.requests.map(({ url }) => url)).toEqual(["/a", "/ax", "/axx"]);
});

test("five redirects are followed, six are not: a circle ends", async () => {
  const site = await pages((request, response) => {
    const n = Number(request.url?.slice(1));
    if (n === 0) response.end();
    else redirectTo(`/${n > 100 ? n : n - 1}`)(request, response);
  });
  const links = client({ allowedHosts: [site.host] });
  expect(await links.look(`http://${site.host}/5`)).toMatchObject({ kind: "answered", status: 200 });
  expect(await links.look(`http://${site.host}/6`)).toMatchObject({ kind: "answered", status: 302 });
  site.requests.length = 0;
  expect(await links.look(`http://${site.host}/101`)).toMatchObject({ kind: "answered", status: 302 });
  expect(site.requests).toHaveLength(6);
});

test("a redirect to nowhere is told by its status", async () => {
  const site = await pages(redirectTo("http://[nonsense"));
  expect(await client({ allowedHosts: [site.host] }).look(`http://${site.host}/`)).toMatchObject({
    kind: "answered",
    status: 302,
  });
});

test("R-SRV-08 a page that never answers, or drips its head for ever, ends with the time for all", async () => {
  const dripping = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.write("HTTP/1.1 200 OK\r\n");
    const drip = setInterval(() => socket.write("x: y\r\n"), 20);
    socket.on("close", () => clearInterval(drip));
  });
  await new Promise<void>((resolve) => dripping.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void dripping.close());
  const place = dripping.address();
  const drips = `127.0.0.1:${typeof place === "object" && place ? place.port : 0}`;
  const mute = await pages(() => {});
  const links = client({ allowedHosts: [mute.host, drips], timeoutMs: 300 });
  expect((await links.look(`http://${mute.host}/`)).kind).toBe("silent");
  expect((await links.look(`http://${drips}/`)).kind).toBe("silent");
});

test("R-SRV-08 redirects that are slow one by one end with the time for all together", async () => {
  const site = await pages((request, response) => {
    if (site.requests.length < 3) redirectTo(`${request.url}x`)(request, response);
  });
  expect((await client({ allowedHosts: [site.host], timeoutMs: 300 }).look(`http://${site.host}/`)).kind).toBe(
    "silent",
  );
  expect(site.requests.length).toBeLessThanOrEqual(3);
});

test.each([
  ["a head without end", `HTTP/1.1 200 OK\r\nx: ${"a".repeat(100_000)}\r\n\r\n`],
  ["another protocol", "SSH-2.0-OpenSSH_9.2p1\r\n"],
  ["a change of protocol", "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"],
  ["nothing", ""],
])("an answer with %s counts as none", async (_what, text) => {
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const place = server.address();
  const host = `127.0.0.1:${typeof place === "object" && place ? place.port : 0}`;
  expect((await client({ allowedHosts: [host] }).look(`http://${host}/`)).kind).toBe("silent");
});

test("https: a certificate that browsers refuse is told as such, and nothing is sent over it", async () => {
  const site = await pages((_request, response) => void response.end(), { isSecure: true });
  expect((await client({ allowedHosts: [site.host] }).look(`https://${site.host}/`)).kind).toBe("untrusted");
  expect(site.requests).toEqual([]);
});

test("names: one that nobody has, one that nobody can tell, and no way out", async () => {
  const zone = { "broken.test": () => "broken" as const, "empty.test": () => [] };
  const online = client({ nameServers: [(await names(zone)).address] });
  expect((await online.look("https://gone.test/")).kind).toBe("no_host");
  expect((await online.look("https://empty.test/")).kind).toBe("no_host");
  expect((await online.look("https://broken.test/")).kind).toBe("silent");
  // Some name servers say of every name that it does not exist when they are cut off.
  const cutOff = client({ nameServers: [(await names(zone, { isCutOff: true })).address] });
  expect((await cutOff.look("https://gone.test/")).kind).toBe("offline");
  expect((await client({}).look("https://gone.test/")).kind).toBe("offline");
});

test("international names are asked about in their ASCII form", async () => {
  const site = await pages((_request, response) => void response.end());
  const server = await names({ "xn--bcher-kva.test": () => ["127.0.0.1"] });
  const host = `xn--bcher-kva.test:${site.port}`;
  const url = `http://bücher.test:${site.port}/`;
  const links = client({ nameServers: [server.address], allowedHosts: [host] });
  expect(await links.look(url)).toMatchObject({ kind: "answered", status: 200 });
  expect(site.requests[0]?.headers.host).toBe(host);
});

test("4,000 characters are asked as they are", async () => {
  const site = await pages((_request, response) => void response.end());
  const url = `http://${site.host}/${"a".repeat(3_980)}`;
  expect(await client({ allowedHosts: [site.host] }).look(url)).toMatchObject({ kind: "answered", status: 200 });
  expect(site.requests[0]?.url).toHaveLength(3_981);
});
