import { expect, test } from "vitest";
import { LINK_STATES } from "#lib/features/links/constants.ts";
import { hasLinkConcern, judge, LINK_LABELS, pacedBy, warningOf } from "#lib/features/links/policy.ts";
import type { LinkAnswer, PacedAnswer } from "#lib/integrations/links/port.ts";

type Verdict = Exclude<LinkAnswer, PacedAnswer>;

const answered = (finalUrl: string, status = 200): Verdict => ({ kind: "answered", finalUrl, status });
const ended = (kind: Exclude<Verdict["kind"], "answered">, finalUrl: string): Verdict => ({ kind, finalUrl });
const OWN = "https://shop.example/moss";
const PLAIN = "http://shop.example/moss";

test.each([
  ["ok", OWN, answered(OWN)],
  ["ok", OWN, answered("https://www.shop.example/moss/")],
  ["ok", OWN, answered("https://shop.example/other")],
  // Who lets no checker in is there all the same.
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
  ["unreachable", OWN, ended("silent", OWN)],
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
  const check = judge(url, answer);
  expect(check.state).toBe(state);
  expect(check.finalUrl).toBe(answer.finalUrl === url ? null : answer.finalUrl);
  expect(warningOf(url, check) === null).toBe(state === "ok");
});

test.each([
  ["https://bit.ly/abc", "pin.it", false],
  ["https://notbit.ly/abc", "notbit.ly", true],
  ["https://bit.ly.evil.example/abc", "", true],
] as const)("a shortener is known by its whole name: %s", (url, _host, isOk) => {
  expect(judge(url, answered(url)).state === "ok").toBe(isOk);
});

test.each([
  ["http://10.0.0.1/", "This link leads into a private network (10.0.0.1), so nobody else can open it."],
  [
    "https://shop.example:8443/",
    "This link uses port 8443, so it was not checked, and many networks will not open it.",
  ],
  [
    "https://ada:secret@shop.example/",
    "This link has a name or a password in it. Everybody who sees the pin could read them.",
  ],
  [
    `https://shop.example/${"a".repeat(4_096)}`,
    "This link leads to an address longer than 4,096 characters, so it was not checked.",
  ],
  ["intent://shop.example/", "This link leads out of the web: only http and https open in every browser."],
])("what is refused is said with its reason, and no password: %s", (finalUrl, text) => {
  const check = judge(OWN, ended("refused", finalUrl));
  expect(warningOf(OWN, check)).toBe(text);
});

test("nothing is said without a link, before anybody looked, and while it is being looked at", () => {
  const pending = { state: "pending", finalUrl: null, httpStatus: null } as const;
  expect([warningOf(null, pending), warningOf(OWN, null), warningOf(OWN, pending)]).toEqual([null, null, null]);
});

test("what is worth a place on a card has a label there, and nothing else has", () => {
  for (const state of LINK_STATES) expect(LINK_LABELS[state] !== "").toBe(hasLinkConcern(state));
  expect(hasLinkConcern(null)).toBe(false);
  expect(hasLinkConcern("offline")).toBe(false);
});

test.each([
  ["https://shop.test/a", "shop.test"],
  ["https://www.shop.test:8443/a", "shop.test"],
  ["https://a.b.c.shop.test", "shop.test"],
  ["https://SHOP.test.", "shop.test"],
  ["https://www.shop.co.uk/", "shop.co.uk"],
  ["https://shop.com.au/", "shop.com.au"],
  ["https://blog.shop.com/", "shop.com"],
  ["https://localhost/", "localhost"],
  ["http://0x7f.1/", "127.0.0.1"],
  ["http://203.0.113.7:81/", "203.0.113.7"],
  ["http://[2001:db8::7]/", "[2001:db8::7]"],
  [`https://${"x".repeat(400)}.test/`, "x".repeat(253)],
])("R-SRV-08 looks at %s are paced by %s", (url, site) => {
  expect(pacedBy(url)).toBe(site);
});
