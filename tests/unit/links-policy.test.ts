import { expect, test } from "vitest";
import {
  HOST_CHECKS_MAX,
  HOST_WINDOW_MS,
  LINK_STATES,
  RESERVED_GAP_MS,
  RESERVED_LATE_MS,
  RESERVED_WINDOW_MS,
} from "#lib/features/links/constants.ts";
import {
  evaluateAnswer,
  firstFreeMs,
  hasLinkWarning,
  LINK_LABELS,
  nextRequestMs,
  rateLimitedSiteOf,
  warningOf,
} from "#lib/features/links/policy.ts";
import type { LinkAnswer, ThrottledResult } from "#lib/integrations/links/port.ts";
import { fc } from "#tests/support/properties.ts";

type Verdict = Exclude<LinkAnswer, ThrottledResult>;

const answered = (finalUrl: string, status = 200): Verdict => ({ kind: "answered", finalUrl, status });
const ended = (kind: Exclude<Verdict["kind"], "answered">, finalUrl: string): Verdict => ({ kind, finalUrl });
const OWN = "https://shop.example/moss";
const PLAIN = "http://shop.example/moss";

test.each([
  ["ok", OWN, answered(OWN)],
  ["ok", OWN, answered("https://www.shop.example/moss/")],
  ["ok", OWN, answered("https://shop.example/other")],
  // A page that refuses checkers still exists.
  ["ok", OWN, answered(OWN, 401)],
  ["ok", OWN, answered(OWN, 403)],
  ["ok", OWN, answered(OWN, 429)],
  ["dead", OWN, answered(OWN, 404)],
  ["dead", OWN, answered(OWN, 410)],
  ["dead", OWN, answered("https://elsewhere.example/", 404)],
  ["dead", OWN, ended("no_host", OWN)],
  ["unreachable", OWN, answered(OWN, 500)],
  ["unreachable", OWN, answered(OWN, 503)],
  ["unreachable", OWN, answered(OWN, 302)],
  ["unreachable", OWN, ended("no_answer", OWN)],
  ["untrusted", OWN, ended("untrusted", OWN)],
  ["refused", OWN, ended("refused", "http://10.0.0.1/")],
  ["offline", OWN, ended("offline", OWN)],
  ["redirects", OWN, answered("https://elsewhere.example/")],
  ["redirects", PLAIN, answered("https://elsewhere.example/")],
  ["insecure", PLAIN, answered(PLAIN)],
  ["insecure", PLAIN, answered(OWN)],
  ["insecure", OWN, answered(PLAIN)],
  ["shortener", "https://bit.ly/abc", answered("https://shop.example/")],
  ["shortener", "https://www.bit.ly/abc", answered("https://bit.ly/abc")],
  ["dead", "https://bit.ly/abc", answered("https://shop.example/", 404)],
] as const)("%s: %s %o", (state, url, answer) => {
  const check = evaluateAnswer(url, answer);
  expect(check.state).toBe(state);
  expect(check.finalUrl).toBe(answer.finalUrl === url ? null : answer.finalUrl);
  expect(warningOf(url, check) === null).toBe(state === "ok");
});

test.each([
  ["https://bit.ly/abc", "pin.it", false],
  ["https://notbit.ly/abc", "notbit.ly", true],
  ["https://bit.ly.evil.example/abc", "", true],
] as const)("a shortener is known by its whole name: %s", (url, _host, isOk) => {
  expect(evaluateAnswer(url, answered(url)).state === "ok").toBe(isOk);
});

test.each([
  ["http://10.0.0.1/", "This link leads to a private network (10.0.0.1), so no one else can open it."],
  [
    "https://shop.example:8443/",
    "This link uses port 8443, so it wasn't checked and may not open on every network. Use a link without a port if you can.",
  ],
  [
    "https://ada:secret@shop.example/",
    "This link contains a username or password. Anyone who sees the pin could read it.",
  ],
  [
    `https://shop.example/${"a".repeat(4_096)}`,
    "This link leads to a URL longer than 4,096 characters, so it wasn't checked.",
  ],
  ["intent://shop.example/", "This link doesn't open a web page. Use a link that starts with http:// or https://."],
])("a refusal is explained without the password: %s", (finalUrl, text) => {
  const check = evaluateAnswer(OWN, ended("refused", finalUrl));
  expect(warningOf(OWN, check)).toBe(text);
});

test("no warning without a link, before the first check, and during it", () => {
  const pending = { state: "pending", finalUrl: null, httpStatus: null } as const;
  expect([warningOf(null, pending), warningOf(OWN, null), warningOf(OWN, pending)]).toEqual([null, null, null]);
});

test("only states worth showing on a card have a label", () => {
  for (const state of LINK_STATES) expect(LINK_LABELS[state] !== "").toBe(hasLinkWarning(state));
  expect(hasLinkWarning(null)).toBe(false);
  expect(hasLinkWarning("offline")).toBe(false);
});

test.each([
  ["https://shop.test/a", "shop.test"],
  ["https://www.shop.test:8443/a", "shop.test"],
  ["https://a.b.c.shop.test", "shop.test"],
  ["https://SHOP.test.", "shop.test"],
  ["https://www.shop.co.uk/", "shop.co.uk"],
  ["https://shop.com.au/", "shop.com.au"],
  ["https://blog.shop.com/", "shop.com"],
  ["https://fern.myshopify.com/products/mug", "fern.myshopify.com"],
  ["https://www.fern.myshopify.com/", "fern.myshopify.com"],
  ["https://myshopify.com/", "myshopify.com"],
  ["https://notmyshopify.com/", "notmyshopify.com"],
  ["https://localhost/", "localhost"],
  ["http://0x7f.1/", "127.0.0.1"],
  ["http://203.0.113.7:81/", "203.0.113.7"],
  ["http://[2001:db8::7]/", "[2001:db8::7]"],
  [`https://${"x".repeat(400)}.test/`, "x".repeat(253)],
])("R-SRV-08 checks of %s are rate-limited by %s", (url, site) => {
  expect(rateLimitedSiteOf(url)).toBe(site);
});

test("R-SRV-08 requests to a site are made at once up to the limit, then spread, even if each reserved one is late", () => {
  const times: number[] = [];
  for (let n = 0; n < 4 * HOST_CHECKS_MAX; n += 1)
    times.push(
      nextRequestMs(
        times.filter((at) => at > -HOST_WINDOW_MS),
        0,
      ),
    );
  expect(times.filter((at) => at === 0)).toHaveLength(HOST_CHECKS_MAX);
  const late = times.map((at, n) => (at > 0 && n % 2 === 0 ? at + RESERVED_LATE_MS : at)).toSorted((a, b) => a - b);
  const spans = late.slice(HOST_CHECKS_MAX).map((at, n) => at - (late[n] ?? 0));
  expect(Math.min(...spans)).toBeGreaterThanOrEqual(HOST_WINDOW_MS);
  const reserved = times.slice(HOST_CHECKS_MAX);
  expect(reserved.every((at, n) => n === 0 || at - (reserved[n - 1] ?? 0) >= RESERVED_GAP_MS)).toBe(true);
});

test("R-SRV-08 requests of many sites get the first times that keep a limit together, also between reserved ones", () => {
  const max = 5;
  const isKept = (times: readonly number[]): boolean => {
    const sorted = times.toSorted((a, b) => a - b);
    return sorted.slice(max).every((at, n) => at - (sorted[n] ?? 0) >= RESERVED_WINDOW_MS);
  };
  const seconds = (from: number, to: number) => fc.integer({ min: from, max: to }).map((n) => 1_000 * n);
  fc.assert(
    fc.property(fc.array(seconds(-60, 400), { maxLength: 40 }), seconds(0, 200), (wanted, from) => {
      const times: number[] = [];
      for (const at of wanted) if (isKept([...times, at])) times.push(at);
      const first = firstFreeMs(times, from, max);
      let earliest = from;
      while (!isKept([...times, earliest])) earliest += 1_000;
      expect(first).toBe(earliest);
    }),
  );
  expect(firstFreeMs(Array(max).fill(60_000), 0, max)).toBe(60_000 + RESERVED_WINDOW_MS);
});
