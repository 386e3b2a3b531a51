import { describe, expect, test } from "vitest";
import { createTokenMemory } from "#lib/server/auth.ts";

/** A memory whose clock stands still until it is moved, and how often tokens were opened. */
const memoryAt = (atMs: number) => {
  const clock = { ms: atMs };
  const memory = createTokenMemory(() => clock.ms);
  let opened = 0;
  const read = (name: string, claims: { loginId: string; expiresAt: number } | null) =>
    memory.read(name, async () => {
      opened += 1;
      return claims;
    });
  return { clock, memory, read, opened: () => opened };
};

describe("what tokens said is remembered", () => {
  const claims = { loginId: "lgn_1", expiresAt: 10_000 };

  test("R-SRV-09 a good token is opened once a minute, by its kind", async () => {
    const { clock, read, opened } = memoryAt(0);
    for (const name of ["access x", "access x", "session x"]) expect(await read(name, claims)).toEqual(claims);
    expect(opened()).toBe(2);
    clock.ms += 59_000;
    await read("access x", claims);
    expect(opened()).toBe(2);
    clock.ms += 2_000;
    await read("access x", claims);
    expect(opened()).toBe(3);
  });

  test("R-SRV-09 an ended token is opened again, which refuses it, also within the minute", async () => {
    const { clock, read } = memoryAt(9_999_000);
    expect(await read("access x", claims)).toEqual(claims);
    clock.ms = 10_000_000;
    expect(await read("access x", null)).toBeNull();
  });

  test("R-SRV-09 a token that is not ours is never remembered", async () => {
    const { read, opened, memory } = memoryAt(0);
    expect(await read("access forged", null)).toBeNull();
    expect(await read("access forged", null)).toBeNull();
    expect([opened(), memory.size()]).toEqual([2, 0]);
  });

  test("R-SRV-09 however many tokens come, memory has a bound", async () => {
    const { read, memory } = memoryAt(0);
    for (let index = 0; index < 12_000; index++) await read(`access ${index}`, claims);
    expect(memory.size()).toBeLessThanOrEqual(5_000);
  });
});
