import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { FaultScenarios } from "#sandbox/kit/faults.ts";
import { MAIL_SCENARIOS } from "#sandbox/mail/server.ts";
import { OPENAI_SCENARIOS } from "#sandbox/openai/faults.ts";
import { openAiSettings } from "#sandbox/openai/settings.ts";
import { PADDLE_SCENARIOS } from "#sandbox/paddle/scenarios.ts";
import { PADDLE_SETTINGS } from "#sandbox/paddle/settings.ts";
import { PINTEREST_SCENARIOS } from "#sandbox/pinterest/faults.ts";
import { PINTEREST_SETTINGS } from "#sandbox/pinterest/settings.ts";

const guide = readFileSync(new URL("../../docs/guides/sandbox.md", import.meta.url), "utf8");
const section = (title: string) => guide.split(/^## /m).find((part) => part.startsWith(title)) ?? "";
/** First column of the tables that have a name in it. */
const namesIn = (text: string) => [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);

const rowsOf = (scenarios: FaultScenarios) =>
  Object.entries(scenarios).map(([name, { match, about }]) => `| \`${name}\` | \`${match}\` | ${about} |`);

test.each<[string, FaultScenarios, string[]]>([
  ["Pinterest", PINTEREST_SCENARIOS, Object.keys(PINTEREST_SETTINGS)],
  ["Paddle", PADDLE_SCENARIOS, Object.keys(PADDLE_SETTINGS)],
  ["Mail", MAIL_SCENARIOS, []],
  ["OpenAI", OPENAI_SCENARIOS, Object.keys(openAiSettings(0, 0))],
])(
  "R-SRV-10 the guide names each prepared fault and setting of %s, with its own words",
  (title, scenarios, settings) => {
    const text = section(title);
    expect(rowsOf(scenarios).filter((row) => !text.includes(row))).toEqual([]);
    expect(namesIn(text)).toEqual([...settings, ...Object.keys(scenarios)]);
  },
);
