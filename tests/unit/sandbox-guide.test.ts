import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MAIL_SCENARIOS } from "#sandbox/mail/scenarios.ts";
import { PINTEREST_SCENARIOS } from "#sandbox/pinterest/scenarios.ts";
import { PINTEREST_SETTINGS } from "#sandbox/pinterest/settings.ts";

const guide = readFileSync(new URL("../../docs/guides/sandbox.md", import.meta.url), "utf8");
const section = (title: string) => guide.split(/^## /m).find((part) => part.startsWith(title)) ?? "";
/** First column of the tables that have a name in it. */
const namesIn = (text: string) => [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);

test("R-SRV-10 the guide names each prepared fault and setting, with its own words", () => {
  const pinterest = section("Pinterest");
  const rows = Object.entries(PINTEREST_SCENARIOS).map(
    ([name, { match, about }]) => `| \`${name}\` | \`${match}\` | ${about} |`,
  );
  const mailRows = Object.entries(MAIL_SCENARIOS).map(
    ([name, { match, about }]) => `| \`${name}\` | \`${match}\` | ${about} |`,
  );
  expect(rows.filter((row) => !pinterest.includes(row))).toEqual([]);
  expect(mailRows.filter((row) => !section("Mail").includes(row))).toEqual([]);
  expect(namesIn(pinterest)).toEqual([...Object.keys(PINTEREST_SETTINGS), ...Object.keys(PINTEREST_SCENARIOS)]);
  expect(namesIn(section("Mail"))).toEqual(Object.keys(MAIL_SCENARIOS));
});
