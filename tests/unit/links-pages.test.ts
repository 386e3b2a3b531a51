import type { RequestListener } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { createLinks, type LinksOptions } from "#lib/integrations/links/client.ts";
import { decodePage } from "#lib/integrations/links/decoding.ts";
import { startNameServer } from "#tests/support/name-server.ts";
import { startPages } from "#tests/support/page-server.ts";

const site = async (answer: RequestListener) => {
  const server = await startPages(answer);
  onTestFinished(() => server.close());
  return server;
};

const client = (host: string, options: Partial<LinksOptions> = {}) =>
  createLinks({ userAgent: "test", nameServers: ["127.0.0.1:9"], allowedHosts: [host], ...options });

const send =
  (body: string | Buffer, headers: Record<string, string> = { "content-type": "text/html" }): RequestListener =>
  (_request, response) =>
    void response.writeHead(200, headers).end(body);

const fetchOne = async (answer: RequestListener, options?: Partial<LinksOptions>) => {
  const { host } = await site(answer);
  return client(host, options).fetchPage(`http://${host}/a`);
};

describe("R-SRV-08 a page is fetched", () => {
  test("in one GET without cookies, after its redirects", async () => {
    const server = await site((request, response) => {
      if (request.url === "/a") response.writeHead(302, { location: "b", "set-cookie": "a=b" }).end();
      else send("<p>Moss</p>")(request, response);
    });
    expect(await client(server.host).fetchPage(`http://${server.host}/a`)).toEqual({
      kind: "fetched",
      finalUrl: `http://${server.host}/b`,
      html: "<p>Moss</p>",
    });
    expect(server.requests.map(({ url }) => url)).toEqual(["/a", "/b"]);
    const names = ["accept", "accept-encoding", "connection", "host", "user-agent"];
    for (const { headers } of server.requests) expect(Object.keys(headers).toSorted()).toEqual(names);
  });

  test.each(["text/html", "Text/HTML; charset=utf-8", "application/xhtml+xml"])("as %s", async (type) => {
    expect(await fetchOne(send("x", { "content-type": type }))).toMatchObject({ kind: "fetched", html: "x" });
  });
});

describe("R-SRV-08 a page that is compressed although we asked for none", () => {
  const encodings: Record<string, (text: string | Buffer) => Buffer> = {
    gzip: gzipSync,
    "X-GZIP": gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
  };

  test.each(Object.entries(encodings))("%s is read", async (encoding, compress) => {
    const headers = { "content-type": "text/html; charset=utf-8", "content-encoding": encoding };
    expect(await fetchOne(send(compress("<p>Möss</p>"), headers))).toMatchObject({ html: "<p>Möss</p>" });
  });

  test.each(Object.entries(encodings))(
    "%s is refused when it inflates beyond the limit",
    async (encoding, compress) => {
      const body = compress(Buffer.alloc(20_000_000, "x"));
      expect(body.byteLength).toBeLessThan(200_000);
      const headers = { "content-type": "text/html", "content-encoding": encoding };
      expect(await fetchOne(send(body, headers))).toEqual({ kind: "too_large" });
    },
  );

  test("is no page when it is cut", async () => {
    const whole = gzipSync("<p>Moss</p>".repeat(500));
    const headers = { "content-type": "text/html", "content-encoding": "gzip" };
    expect(await fetchOne(send(whole.subarray(0, 20), headers))).toEqual({ kind: "not_page" });
  });
});

describe("R-SRV-08 a page is not fetched", () => {
  test.each([
    ["an image", { "content-type": "image/jpeg" }],
    ["JSON", { "content-type": "application/json" }],
    ["plain text", { "content-type": "text/plain" }],
    ["a page that only claims to be compressed", { "content-type": "text/html", "content-encoding": "gzip" }],
    ["one that claims Brotli", { "content-type": "text/html", "content-encoding": "br" }],
    ["an unknown encoding", { "content-type": "text/html", "content-encoding": "rot13" }],
    ["an encoding named like a property", { "content-type": "text/html", "content-encoding": "constructor" }],
  ])("%s", async (_what, headers) => {
    expect(await fetchOne(send("x", headers))).toEqual({ kind: "not_page" });
  });

  test.each([401, 403, 404, 429, 503])("with status %d", async (status) => {
    expect(await fetchOne((_request, response) => void response.writeHead(status).end())).toEqual({
      kind: "status",
      status,
    });
  });

  test("of more than 5 MB, announced or not", async () => {
    const announced = { "content-type": "text/html", "content-length": "50000000" };
    expect(await fetchOne((_request, response) => void response.writeHead(200, announced).write("x"))).toEqual({
      kind: "too_large",
    });
    const chunk = Buffer.alloc(65_536, "x");
    let sent = 0;
    const endless: RequestListener = (_request, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      const pour = () => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      };
      response.on("drain", pour).on("close", () => response.destroy());
      pour();
    };
    expect(await fetchOne(endless)).toEqual({ kind: "too_large" });
    expect(sent).toBeLessThan(50_000_000);
  });

  test("that ends early, or never", async () => {
    const announced = { "content-type": "text/html", "content-length": "100" };
    const cut: RequestListener = (_request, response) => {
      response.writeHead(200, announced).write("<p>");
      setImmediate(() => response.destroy());
    };
    expect(await fetchOne(cut)).toEqual({ kind: "no_answer" });
    const slow: RequestListener = (_request, response) => void response.writeHead(200, announced).write("<p>");
    expect(await fetchOne(slow, { timeoutMs: 300 })).toEqual({ kind: "no_answer" });
  });

  test("after more than five redirects", async () => {
    const server = await site((request, response) => {
      const n = Number(request.url?.slice(1));
      if (n === 0) send("end")(request, response);
      else response.writeHead(302, { location: `/${n - 1}` }).end();
    });
    const links = client(server.host);
    expect(await links.fetchPage(`http://${server.host}/5`)).toMatchObject({ kind: "fetched" });
    expect(await links.fetchPage(`http://${server.host}/6`)).toEqual({ kind: "too_many_redirects" });
  });

  test("at a private address, directly, by name, or behind a redirect", async () => {
    const names = await startNameServer({ "inside.test": () => ["93.184.216.34", "10.0.0.7"] });
    onTestFinished(() => names.close());
    const server = await site((request, response) => {
      const to = request.url === "/name" ? "http://inside.test/" : "http://169.254.169.254/latest";
      response.writeHead(302, { location: to }).end();
    });
    const links = client(server.host, { nameServers: [names.address] });
    for (const url of [
      "http://127.0.0.1/",
      "http://inside.test/",
      "http://user:pw@example.com/",
      "file:///etc/passwd",
    ]) {
      expect(await links.fetchPage(url)).toEqual({ kind: "refused" });
    }
    for (const path of ["name", "address"]) {
      expect(await links.fetchPage(`http://${server.host}/${path}`)).toEqual({ kind: "refused" });
    }
    expect(server.requests).toHaveLength(2);
  });

  test("when mayFollow refuses a redirect, which it is asked about first", async () => {
    const server = await site((_request, response) => void response.writeHead(302, { location: "/b" }).end());
    const seen: string[] = [];
    const mayFollow = async (url: string) => seen.push(url) < 1;
    expect(await client(server.host).fetchPage(`http://${server.host}/a`, { mayFollow })).toEqual({ kind: "paced" });
    expect(seen).toEqual([`http://${server.host}/b`]);
    expect(server.requests).toHaveLength(1);
  });

  test("of an unknown host, and while we are offline", async () => {
    const names = await startNameServer({});
    onTestFinished(() => names.close());
    expect(await client("", { nameServers: [names.address] }).fetchPage("http://gone.test/")).toEqual({
      kind: "no_host",
    });
    expect(await client("").fetchPage("http://gone.test/")).toEqual({ kind: "offline" });
  });
});

describe("a page's text is decoded", () => {
  const latin = Buffer.from("<p>Crème brûlée €5</p>".replace("€", "\u0080"), "latin1");
  const utf8 = Buffer.from("<p>Crème brûlée €5</p>");
  const kana = Buffer.from([0x8b, 0x47, 0x90, 0xdf]);
  const meta = (charset: string) => Buffer.from(`<meta charset="${charset}">`);
  const CREAM = "<p>Crème brûlée €5</p>";

  test.each<[string, string, Buffer, string]>([
    ["by its header", "text/html; charset=shift_jis", kana, "季節"],
    ["by its declaration", "text/html", Buffer.concat([meta("Shift_JIS"), kana]), '<meta charset="Shift_JIS">季節'],
    ["by a byte order mark, whatever the header", "text/html; charset=latin1", Buffer.from("\ufeffé"), "é"],
    ["as UTF-16 by its mark", "text/html", Buffer.from("\ufeffé", "utf16le"), "é"],
    ["without any declaration", "text/html", utf8, CREAM],
    ["as Latin-1 without a declaration", "text/html", latin, CREAM],
    ["as UTF-8 that is declared as Latin-1", "text/html; charset=iso-8859-1", utf8, CREAM],
    ["as Latin-1 that is declared as UTF-8", "text/html; charset=utf-8", latin, CREAM],
    ["with an unknown charset", "text/html; charset=klingon", utf8, CREAM],
    [
      "as ASCII that claims to be UTF-16",
      "text/html",
      Buffer.concat([meta("utf-16"), utf8]),
      `<meta charset="utf-16">${CREAM}`,
    ],
  ])("%s", (_how, type, bytes, expected) => {
    expect(decodePage(bytes, type)).toBe(expected);
  });

  test("a few broken bytes don't change the charset", () => {
    const text = decodePage(Buffer.concat([utf8, utf8, Buffer.from([0xff])]), "text/html; charset=utf-8");
    expect(text).toBe(`${CREAM}${CREAM}\ufffd`);
  });
});

describe("documents", () => {
  const read = async (
    answer: RequestListener,
    bytesMax = 1_000_000,
    onText: (text: string) => boolean = () => true,
  ) => {
    const server = await site(answer);
    return client(server.host).fetchDocument(`http://${server.host}/feed.xml`, { bytesMax, onText });
  };

  test("are passed on in pieces, in the character set that their beginning shows", async () => {
    const text = `<?xml version="1.0" encoding="iso-8859-1"?><a>${"é".repeat(200_000)}</a>`;
    let all = "";
    let pieces = 0;
    const answer = await read(
      (_request, response) => void response.end(Buffer.from(text, "latin1")),
      1_000_000,
      (piece) => {
        all += piece;
        pieces += 1;
        return true;
      },
    );
    expect(answer).toMatchObject({ kind: "fetched" });
    expect(all).toBe(text);
    expect(pieces).toBeGreaterThan(1);
  });

  test("that inflate beyond the limit are too large, and damaged ones are no page", async () => {
    const gzip = (body: Buffer): RequestListener => {
      return (_request, response) => void response.writeHead(200, { "content-type": "application/gzip" }).end(body);
    };
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    expect(bomb.byteLength).toBeLessThan(30_000);
    let chars = 0;
    const count = (text: string) => {
      chars += text.length;
      return true;
    };
    expect(await read(gzip(bomb), 1_000_000, count)).toEqual({ kind: "too_large" });
    expect(chars).toBeLessThanOrEqual(1_000_000);
    expect(await read(gzip(Buffer.from("nothing")))).toEqual({ kind: "not_page" });
  });

  test("are read no further once their reader has enough, whatever is left, and its errors are its own", async () => {
    const endless: RequestListener = (_request, response) => {
      const more = () => response.destroyed || response.write("x".repeat(65_536), () => setImmediate(more));
      more();
    };
    let pieces = 0;
    const answer = await read(endless, 1_000_000_000, () => {
      pieces += 1;
      return pieces < 3;
    });
    expect([answer.kind, pieces]).toEqual(["fetched", 3]);
    const fail = () => {
      throw new Error("Enough.");
    };
    await expect(read(endless, 1_000_000_000, fail)).rejects.toThrow("Enough.");
  });
});
