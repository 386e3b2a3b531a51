import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { settingNames } from "#lib/env-schema.ts";
import { inRepository } from "#scripts/root.ts";

const example = readFileSync(inRepository(".env.example"), "utf8");
const documented = [...example.matchAll(/^#([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name);

test("each setting of the server is documented once in .env.example", () => {
  const own = ["PORT", "CHROMIUM_PATH", "NEXT_SERVER_ACTIONS_ENCRYPTION_KEY"];
  const refused = ["INNGEST_DEV"];
  expect([...documented].sort()).toEqual([...settingNames.filter((name) => !refused.includes(name)), ...own].sort());
});
