import { expect, test } from "vitest";
import type { Link } from "#db/link.ts";
import { createPool } from "#db/pool.ts";

test("a connection that is opened while the pool closes is ended and not lent", async () => {
  const opening = Promise.withResolvers<Link>();
  let isEnded = false;
  const link: Link = {
    run: () => Promise.reject(new Error("Nothing is asked of it.")),
    script: () => Promise.reject(new Error("Nothing is asked of it.")),
    isOver: () => isEnded,
    onOver: () => {},
    cut: () => {},
    end: async () => {
      isEnded = true;
    },
  };
  const pool = createPool({ max: 1, waitMs: 60_000, idleMs: 60_000, closeMs: 60_000, open: () => opening.promise });
  const lent = pool.lend(async () => "lent");
  await pool.close();
  opening.resolve(link);
  await expect(lent).rejects.toMatchObject({ code: "POOL_CLOSED" });
  expect(isEnded).toBe(true);
});
