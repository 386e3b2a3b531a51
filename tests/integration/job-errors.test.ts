import { eq, sql } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { users } from "#db/schema/identity.ts";
import { runUseCase } from "#inngest/run-use-case.ts";
import type { FullCtx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { setProcessContainer } from "#tests/support/process-harness.ts";
import { generationSetup } from "./generation-harness.ts";

const setup = generationSetup();

setProcessContainer(() => setup.harness);
afterEach(() => void vi.restoreAllMocks());

const SECRET = "ada@example.com";

const failQuery = (ctx: FullCtx) =>
  ctx.db
    .select({ id: users.id })
    .from(users)
    .where(sql`${eq(users.emailKey, SECRET)} and 1 / (length(${SECRET}::text) - length(${SECRET}::text)) = 1`);

const fail = async (job: (ctx: FullCtx) => Promise<unknown>) => {
  const lines: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((line) => lines.push(String(line)) > 0);
  const error = await runUseCase({ job: "test", step: "fail" }, job).then(
    () => expect.unreachable(),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Error)) throw error;
  return { error, log: lines.join("") };
};

test("a failed query reaches neither the log nor the engine with its parameters", async () => {
  await expect(failQuery(setup.job())).rejects.toThrow(SECRET);
  const wrapped = (ctx: FullCtx) =>
    failQuery(ctx).catch((cause: unknown) => {
      throw new AppError("internal", { cause });
    });
  for (const job of [failQuery, wrapped]) {
    const { error, log } = await fail(job);
    expect(error.message).toMatch(/^division by zero \(select/);
    expect(error).not.toHaveProperty("cause");
    expect(error).not.toHaveProperty("params");
    expect(`${error.stack}${JSON.stringify(error)}${log}`).not.toContain(SECRET);
    expect(log).toContain('"error":"internal","problem":"division by zero (select');
    expect(error.stack).toMatch(/\n\s+at /);
  }
});

test("the email address of a rejection is not logged either; other errors keep their message", async () => {
  const { error } = await fail(() => Promise.reject(new Error(`550 5.1.1 <${SECRET}>: no such person`)));
  expect(error.message).toBe("550 5.1.1 <(address)>: no such person");
  const refused = await fail(() => Promise.reject(new AppError("not_found")));
  expect(refused.error.message).toBe("We can't find this. It may have been deleted.");
});
