import { expect, test } from "vitest";
import { formatMinutes, formatUptime, UPTIME_CLAIM } from "#lib/features/health/policy.ts";
import { fc } from "#tests/support/properties.ts";

const uptime = (recordedMinutes: number, elapsedMinutes: number) => formatUptime({ recordedMinutes, elapsedMinutes });

test("R-GEN-04 the claim is literal", () => {
  expect(UPTIME_CLAIM).toBe("99.9%");
});

test("A-39 uptime is rounded down, never up", () => {
  expect(uptime(1_440, 1_440)).toBe("100%");
  expect(uptime(129_599, 129_600)).toBe("99.999%");
  expect(uptime(999, 1_000)).toBe("99.9%");
  expect(uptime(993, 1_000)).toBe("99.3%");
  expect(uptime(2, 3)).toBe("66.666%");
  expect(uptime(0, 10)).toBe("0%");
  expect(uptime(0, 0)).toBeNull();
});

test("A-39 shown uptime never exceeds the measured one, and a missing minute never shows as 100%", () => {
  const measured = fc
    .integer({ min: 1, max: 129_600 })
    .chain((elapsed) =>
      fc.record({ elapsedMinutes: fc.constant(elapsed), recordedMinutes: fc.integer({ min: 0, max: elapsed }) }),
    );
  fc.assert(
    fc.property(measured, (one) => {
      const shown = Number(formatUptime(one)?.replace("%", ""));
      const share = (100 * one.recordedMinutes) / one.elapsedMinutes;
      expect(shown).toBeLessThanOrEqual(share + 1e-6);
      expect(shown).toBeGreaterThan(share - 0.001_1);
      expect(shown === 100).toBe(one.recordedMinutes === one.elapsedMinutes);
    }),
  );
});

test("durations with two units", () => {
  expect([0, 1, 59, 60, 61, 125, 1_440, 1_500, 1_501].map(formatMinutes)).toEqual([
    "0 minutes",
    "1 minute",
    "59 minutes",
    "1 hour",
    "1 hour 1 minute",
    "2 hours 5 minutes",
    "1 day",
    "1 day 1 hour",
    "1 day 1 hour",
  ]);
});
