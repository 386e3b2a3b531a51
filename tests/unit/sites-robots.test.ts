import { describe, expect, test } from "vitest";
import { readRobotsRules } from "#lib/features/sites/robots.ts";
import { cpuMsOf } from "#tests/support/cpu.ts";

const ORIGIN = "https://fern.example";

const rulesOf = (text: string) => readRobotsRules(`${ORIGIN}/robots.txt`, text, "Evertack");
const allowed = (text: string, paths: string[]) => paths.filter((path) => rulesOf(text).mayRead(`${ORIGIN}${path}`));

describe("robots.txt", () => {
  test.each([
    [
      "the program's own group counts before that of *",
      "User-agent: Evertack/1.0\nDisallow: /b\n\nUser-agent: *\nDisallow: /",
      ["/a"],
    ],
    [
      "an empty own group allows everything",
      "User-agent: *\nDisallow: /\nUser-agent: evertack\nDisallow:",
      ["/a", "/b"],
    ],
    [
      "an own group with a delay only allows everything",
      "User-agent: *\nDisallow: /\nUser-agent: evertack\nCrawl-delay: 5",
      ["/a", "/b"],
    ],
    ["other programs' groups say nothing", "User-agent: *\nDisallow: /a\nUser-agent: Other\nDisallow: /b", ["/b"]],
    ["a group may have several names", "User-agent: Other\nSitemap: /x\nUser-agent: * # all\nDisallow: /b", ["/a"]],
    ["the longest rule counts, whatever the order", "User-agent: *\nAllow: /b$\nDisallow: /\nDisallow: /*c", ["/b"]],
    ["what is disallowed is cut when it is too long", `User-agent: *\nDisallow: /b${"*".repeat(9_000)}`, ["/a"]],
  ])("%s", (_name, text, paths) => {
    expect(allowed(text, ["/a", "/b"])).toEqual(paths);
  });

  test("names sitemaps, and says nothing about other origins", () => {
    const rules = rulesOf(`User-agent: *\nDisallow: /\nSitemap: ${ORIGIN}/map.xml`);
    expect(rules.sitemaps).toEqual([`${ORIGIN}/map.xml`]);
    expect(rules.mayRead("https://moss.example/a")).toBe(true);
  });

  test.each([
    ["names", `${"user-agent:*\n".repeat(19_000)}${"disallow:/\n".repeat(22_000)}`],
    ["different rules", `user-agent:*\n${Array.from({ length: 40_000 }, (_, n) => `disallow:/${n}*`).join("\n")}\n`],
    [
      "wildcards",
      `user-agent:*\n${Array.from({ length: 900 }, (_, n) => `disallow:/${"*a".repeat(200)}${n}`).join("\n")}\n`,
    ],
  ])("with very many %s is read in a short time", (_name, text) => {
    const { cpuMs } = cpuMsOf(() => {
      const { mayRead } = rulesOf(text);
      for (let n = 0; n < 20; n += 1) mayRead(`${ORIGIN}/${"a".repeat(2_000)}`);
    });
    expect(cpuMs).toBeLessThan(5_000);
  });
});
