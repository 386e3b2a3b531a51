import { eq, sql } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { users } from "#db/schema/identity.ts";
import { runVerb } from "#inngest/run-verb.ts";
import type { FullCtx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { beHouseOfProcess } from "#tests/support/process-house.ts";
import { generationWorld } from "./generation-house.ts";

const world = generationWorld();

beHouseOfProcess(() => world.house);
afterEach(() => void vi.restoreAllMocks());

const SECRET = "ada@example.com";

const failQuery = (ctx: FullCtx) =>
  ctx.db
    .select({ id: users.id })
    .from(users)
    .where(sql`${eq(users.emailKey, SECRET)} and 1 / (length(${SECRET}::text) - length(${SECRET}::text)) = 1`);

const fail = async (verb: (ctx: FullCtx) => Promise<unknown>) => {
  const lines: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((line) => lines.push(String(line)) > 0);
  const error = await runVerb({ job: "test", step: "fail" }, verb).then(
    () => expect.unreachable(),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Error)) throw error;
  return { error, log: lines.join("") };
};

test("a failed query reaches neither the log nor the engine with its parameters", async () => {
  await expect(failQuery(world.job())).rejects.toThrow(SECRET);
  const wrapped = (ctx: FullCtx) =>
    failQuery(ctx).catch((cause: unknown) => {
      throw new AppError("internal", { cause });
    });
  for (const verb of [failQuery, wrapped]) {
    const { error, log } = await fail(verb);
    expect(error.message).toMatch(/^division by zero \(select/);
    expect(error).not.toHaveProperty("cause");
    expect(error).not.toHaveProperty("params");
    expect(`${error.stack}${JSON.stringify(error)}${log}`).not.toContain(SECRET);
    expect(log).toContain('"error":"internal","problem":"division by zero (select');
    expect(error.stack).toMatch(/\n\s+at /);
  }
});

test("no mail address of a refusal either; other errors keep their words", async () => {
  const { error } = await fail(() => Promise.reject(new Error(`550 5.1.1 <${SECRET}>: no such person`)));
  expect(error.message).toBe("550 5.1.1 <(address)>: no such person");
  const refused = await fail(() => Promise.reject(new AppError("not_found")));
  expect(refused.error.message).toBe("Not found.");
});
