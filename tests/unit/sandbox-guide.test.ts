import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { EMAIL_SCENARIOS } from "#sandbox/email/server.ts";
import type { FaultScenarios } from "#sandbox/kit/faults.ts";
import { OPENAI_SCENARIOS } from "#sandbox/openai/faults.ts";
import { PADDLE_SCENARIOS } from "#sandbox/paddle/scenarios.ts";
import { PADDLE_SETTINGS } from "#sandbox/paddle/settings.ts";
import { PINTEREST_SCENARIOS } from "#sandbox/pinterest/faults.ts";
import { PINTEREST_SETTINGS } from "#sandbox/pinterest/settings.ts";
import { inRepository } from "#scripts/root.ts";

const guide = readFileSync(inRepository("docs", "guides", "sandbox.md"), "utf8");
const scenarios = { ...PINTEREST_SCENARIOS, ...PADDLE_SCENARIOS, ...EMAIL_SCENARIOS, ...OPENAI_SCENARIOS };
const settings = Object.keys({ ...PINTEREST_SETTINGS, ...PADDLE_SETTINGS });

test.each<[string, FaultScenarios]>([
  ["Pinterest", PINTEREST_SCENARIOS],
  ["Paddle", PADDLE_SCENARIOS],
  ["Email", EMAIL_SCENARIOS],
  ["OpenAI", OPENAI_SCENARIOS],
])("R-SRV-10 each prepared fault of %s says where it applies and what happens", (title, all) => {
  expect(guide).toContain(`\n## ${title}\n`);
  const bare = Object.entries(all).filter(
    ([, { match = "", about = "" }]) => !/^\S+ \//.test(match) || about.length < 3,
  );
  expect(bare).toEqual([]);
});

test("R-SRV-10 faults and settings that the guide names exist", () => {
  const [, fault = ""] = /"scenario": "([a-z-]+)"/.exec(guide) ?? [];
  expect(Object.keys(scenarios)).toContain(fault);
  const named = [...guide.matchAll(/the setting `(\w+)`/g)].map(([, name]) => name);
  expect(named.filter((name) => !settings.includes(name ?? ""))).toEqual([]);
  expect(named.length).toBeGreaterThan(0);
});
