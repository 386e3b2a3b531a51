import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createLinks, type LinksOptions } from "#lib/integrations/links/client.ts";
import { createNames } from "#lib/integrations/links/targets.ts";
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

test("R-SRV-08 requests a page once, by name, without cookies, referrer or credentials, and does not read its body", async () => {
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
  expect(await links.check(url)).toEqual({ kind: "answered", finalUrl: url, status: 200 });
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
  // An endless body stops when the system's buffers are full.
  expect(sent).toBeLessThan(50_000_000);
});

test("R-SRV-08 never decompresses the body", async () => {
  const site = await pages((_request, response) => {
    response.writeHead(200, { "content-encoding": "gzip", "content-type": "text/html" });
    response.end(Buffer.from("1f8b0800000000000003", "hex"));
  });
  const url = `http://${site.host}/`;
  expect(await client({ allowedHosts: [site.host] }).check(url)).toEqual({
    kind: "answered",
    finalUrl: url,
    status: 200,
  });
});

test.each([200, 204, 301, 304, 401, 403, 404, 405, 410, 418, 429, 500, 503, 999])(
  "reports a status of %d",
  async (status) => {
    const site = await pages((_request, response) => void response.writeHead(status).end());
    const url = `http://${site.host}/`;
    expect(await client({ allowedHosts: [site.host] }).check(url)).toEqual({ kind: "answered", finalUrl: url, status });
  },
);

test("R-SRV-08 rebinding: connects to the checked address and resolves the name once", async () => {
  const checked = await pages((_request, response) => void response.end("here"));
  const other = await pages((_request, response) => void response.end("there"), {
    address: "127.0.0.2",
    port: checked.port,
  });
  const server = await names({ "rebind.test": (requests) => [requests === 0 ? "127.0.0.1" : "127.0.0.2"] });
  const host = `rebind.test:${checked.port}`;
  await client({ nameServers: [server.address], allowedHosts: [host] }).check(`http://${host}/`);
  expect([checked.requests.length, other.requests.length, server.requests("rebind.test")]).toEqual([1, 0, 1]);
});

test("R-SRV-08 checks each redirect again by its own addresses, even for a name that was allowed before", async () => {
  const server = await names({ "turn.test": () => ["127.0.0.1"] });
  const site = await pages(redirectTo("http://turn.test/admin"));
  const host = `turn.test:${site.port}`;
  const answer = await client({ nameServers: [server.address], allowedHosts: [host] }).check(`http://${host}/`);
  expect(answer).toEqual({ kind: "refused", finalUrl: "http://turn.test/admin" });
  expect(server.requests("turn.test")).toBe(2);
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
  expect(await client({ allowedHosts: [site.host] }).check(`http://${site.host}/`)).toEqual({
    kind: "refused",
    finalUrl,
  });
});

test.each([301, 302, 303, 307, 308])(
  "follows redirects of status %d one at a time, including relative ones",
  async (status) => {
    const site = await pages((request, response) => {
      if (request.url === "/end") response.end();
      else redirectTo("end", status)(request, response);
    });
    expect(await client({ allowedHosts: [site.host] }).check(`http://${site.host}/start`)).toEqual({
      kind: "answered",
      finalUrl: `http://${site.host}/end`,
      status: 200,
    });
  },
);

test("R-SRV-08 mayFollow is called before each redirect, and false ends the check there", async () => {
  const site = await pages((request, response) => redirectTo(`${request.url}x`)(request, response));
  const requests: string[] = [];
  const mayFollow = async (url: string) => requests.push(url) < 3;
  const at = (path: string) => `http://${site.host}${path}`;
  const answer = await client({ allowedHosts: [site.host] }).check(at("/a"), { mayFollow });
  expect(answer).toEqual({ kind: "paced", finalUrl: at("/axxx") });
  expect(requests).toEqual([at("/ax"), at("/axx"), at("/axxx")]);
  expect(site.requests.map(({ url }) => url)).toEqual(["/a", "/ax", "/axx"]);
});

test("follows five redirects but not six, so loops end", async () => {
  const site = await pages((request, response) => {
    const n = Number(request.url?.slice(1));
    if (n === 0) response.end();
    else redirectTo(`/${n > 100 ? n : n - 1}`)(request, response);
  });
  const links = client({ allowedHosts: [site.host] });
  expect(await links.check(`http://${site.host}/5`)).toMatchObject({ kind: "answered", status: 200 });
  expect(await links.check(`http://${site.host}/6`)).toMatchObject({ kind: "answered", status: 302 });
  site.requests.length = 0;
  expect(await links.check(`http://${site.host}/101`)).toMatchObject({ kind: "answered", status: 302 });
  expect(site.requests).toHaveLength(6);
});

test("reports a redirect to nowhere by its status", async () => {
  const site = await pages(redirectTo("http://[nonsense"));
  expect(await client({ allowedHosts: [site.host] }).check(`http://${site.host}/`)).toMatchObject({
    kind: "answered",
    status: 302,
  });
});

test("R-SRV-08 a page that never responds, or sends its head endlessly, ends with the timeout", async () => {
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
  expect((await links.check(`http://${mute.host}/`)).kind).toBe("no_answer");
  expect((await links.check(`http://${drips}/`)).kind).toBe("no_answer");
});

test("R-SRV-08 slow redirects end with the total timeout", async () => {
  const site = await pages((request, response) => {
    if (site.requests.length < 3) redirectTo(`${request.url}x`)(request, response);
  });
  expect((await client({ allowedHosts: [site.host], timeoutMs: 300 }).check(`http://${site.host}/`)).kind).toBe(
    "no_answer",
  );
  expect(site.requests.length).toBeLessThanOrEqual(3);
});

test.each([
  ["a head without end", `HTTP/1.1 200 OK\r\nx: ${"a".repeat(100_000)}\r\n\r\n`],
  ["another protocol", "SSH-2.0-OpenSSH_9.2p1\r\n"],
  ["a change of protocol", "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"],
  ["nothing", ""],
])("a response with %s counts as none", async (_what, text) => {
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const place = server.address();
  const host = `127.0.0.1:${typeof place === "object" && place ? place.port : 0}`;
  expect((await client({ allowedHosts: [host] }).check(`http://${host}/`)).kind).toBe("no_answer");
});

test("https: reports a certificate that browsers refuse, and sends nothing over it", async () => {
  const site = await pages((_request, response) => void response.end(), { isSecure: true });
  expect((await client({ allowedHosts: [site.host] }).check(`https://${site.host}/`)).kind).toBe("untrusted");
  expect(site.requests).toEqual([]);
});

test("names: unknown, unresolvable, and offline", async () => {
  const zone = { "broken.test": () => "broken" as const, "empty.test": () => [] };
  const online = client({ nameServers: [(await names(zone)).address] });
  expect((await online.check("https://gone.test/")).kind).toBe("no_host");
  expect((await online.check("https://empty.test/")).kind).toBe("no_host");
  expect((await online.check("https://broken.test/")).kind).toBe("no_answer");
  // Some offline name servers claim that no name exists.
  const cutOff = client({ nameServers: [(await names(zone, { isCutOff: true })).address] });
  expect((await cutOff.check("https://gone.test/")).kind).toBe("offline");
  expect((await client({}).check("https://gone.test/")).kind).toBe("offline");
});

test("with a silent name server it asks for the root while it waits for the name, and is offline", async () => {
  const queried: string[] = [];
  const silent = createSocket("udp4").on("message", (packet) => {
    const length = packet[12] ?? 0;
    queried.push(packet.toString("latin1", 13, 13 + length));
  });
  silent.bind(0, "127.0.0.1");
  await once(silent, "listening");
  const { resolve } = createNames([`127.0.0.1:${silent.address().port}`], 100);
  expect(await resolve("gone.test")).toEqual({ kind: "offline" });
  silent.close();
  expect(queried.indexOf("")).toBeGreaterThan(queried.indexOf("gone"));
  expect(queried.indexOf("")).toBeLessThan(queried.lastIndexOf("gone"));
});

test("a site that this machine has no route to is told from being offline", async () => {
  // No machine has a route for TCP to this address, as many have none to IPv6 addresses.
  const zone = { "far.test": () => ["255.255.255.255"] };
  const allowedHosts = ["far.test:80"];
  const fetch = (links: ReturnType<typeof client>) =>
    links.fetchImage("http://far.test/moss.jpg", { path: "/nowhere/moss", bytesMax: 1 });
  expect(await fetch(client({ nameServers: [(await names(zone)).address], allowedHosts }))).toEqual({
    kind: "no_route",
  });
  const cutOff = await names(zone, { isCutOff: true });
  expect(await fetch(client({ nameServers: [cutOff.address], allowedHosts }))).toEqual({ kind: "offline" });
});

test("resolves international names in their ASCII form", async () => {
  const site = await pages((_request, response) => void response.end());
  const server = await names({ "xn--bcher-kva.test": () => ["127.0.0.1"] });
  const host = `xn--bcher-kva.test:${site.port}`;
  const url = `http://bücher.test:${site.port}/`;
  const links = client({ nameServers: [server.address], allowedHosts: [host] });
  expect(await links.check(url)).toMatchObject({ kind: "answered", status: 200 });
  expect(site.requests[0]?.headers.host).toBe(host);
});

test("requests 4,000 characters unchanged", async () => {
  const site = await pages((_request, response) => void response.end());
  const url = `http://${site.host}/${"a".repeat(3_980)}`;
  expect(await client({ allowedHosts: [site.host] }).check(url)).toMatchObject({ kind: "answered", status: 200 });
  expect(site.requests[0]?.url).toHaveLength(3_981);
});
