import { expect, test } from "vitest";
import type { Connection } from "#db/connection.ts";
import { createPool } from "#db/pool.ts";

test("a connection that opens while the pool closes is ended and not used", async () => {
  const opening = Promise.withResolvers<Connection>();
  let isEnded = false;
  const connection: Connection = {
    run: () => Promise.reject(new Error("Nothing is asked of it.")),
    script: () => Promise.reject(new Error("Nothing is asked of it.")),
    isClosed: () => isEnded,
    onClose: () => {},
    destroy: () => {},
    end: async () => {
      isEnded = true;
    },
  };
  const pool = createPool({ max: 1, waitMs: 60_000, idleMs: 60_000, closeMs: 60_000, open: () => opening.promise });
  const inUse = pool.use(async () => "lent");
  await pool.close();
  opening.resolve(connection);
  await expect(inUse).rejects.toMatchObject({ code: "POOL_CLOSED" });
  expect(isEnded).toBe(true);
});
