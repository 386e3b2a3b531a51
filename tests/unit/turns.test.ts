import { expect, test } from "vitest";
import { createTurns } from "#lib/core/concurrency.ts";

const takeTurn = createTurns<string>();
const [one, other] = ["one", "other"];

test("R-SRV-03 runs an account's work one at a time in order; a failure does not block the rest", async () => {
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = takeTurn(one, async () => {
    seen.push("first begins");
    await gate.promise;
    seen.push("first ends");
    throw new Error("first failed");
  });
  const second = takeTurn(one, async () => seen.push("second"));
  const third = takeTurn(one, async () => seen.push("third"));
  await takeTurn(other, async () => seen.push("other account"));
  expect(seen).toEqual(["first begins", "other account"]);
  gate.resolve();
  await expect(first).rejects.toThrow("first failed");
  await Promise.all([second, third]);
  expect(seen.slice(2)).toEqual(["first ends", "second", "third"]);
  expect(await takeTurn(one, async () => "later")).toBe("later");
});
