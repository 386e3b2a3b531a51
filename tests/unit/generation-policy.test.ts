import { describe, expect, test } from "vitest";
import { SECOND_MS } from "#lib/core/time.ts";
import {
  ESTIMATE_SECONDS,
  failedText,
  moreText,
  POLL_MS,
  STAGE_LABELS,
  STRIP_MAX,
  type TaskStatus,
  TEXTS,
} from "#lib/features/generation/constants.ts";
import {
  decideRetry,
  decideSweep,
  estimateSeconds,
  leftOutWarning,
  needsConfirmation,
  overallPercent,
  silenceAfterSending,
  stageOf,
  taskPercent,
} from "#lib/features/generation/policy.ts";

const task = (status: TaskStatus, has = "") => ({
  status,
  title: has.includes("t") ? "T" : null,
  description: has.includes("d") ? "D" : null,
  imageKey: has.includes("i") ? "pins/x.jpg" : null,
});

describe("literal texts", () => {
  test("R-TRK-12: stage labels", () => {
    expect(STAGE_LABELS).toEqual({
      PENDING: "Pending",
      GENERATING_TITLE: "Creating Title",
      TITLE_GENERATED: "Description Next",
      GENERATING_DESCRIPTION: "Writing Description",
      DESCRIPTION_GENERATED: "Image Next",
      GENERATING_IMAGE: "Creating Image",
      IMAGE_GENERATED: "Finalizing",
      RETRY: "Retrying",
      SUCCESS: "Complete",
      FAILURE: "Failed",
      REVOKED: "Failed",
      ERROR: "Failed",
    });
  });

  test("R-AIC-03, R-AIC-07, R-ERR-11, R-ERR-12, R-ERR-13, R-ERR-14", () => {
    expect(TEXTS).toMatchObject({
      generate: "Generate Content",
      enterKeyword: "Please enter at least one keyword",
      startFailed: "Failed to start pin generation",
      pollFailed: "Failed to check generation status",
      complete: "Pin generation complete!",
    });
    expect(failedText(1)).toBe("1 pin(s) failed to generate.");
    expect(moreText(3)).toBe("+3 more");
  });

  test("R-CONST-12, R-CONST-13, R-TIME-01", () => {
    expect([ESTIMATE_SECONDS, STRIP_MAX, POLL_MS]).toEqual([{ high: 60, standard: 50 }, 10, 3_000]);
  });
});

describe("stage and percent", () => {
  test.each([
    [task("PENDING"), "PENDING", 0],
    [task("STARTED"), "GENERATING_TITLE", 5],
    [task("STARTED", "i"), "GENERATING_TITLE", 65],
    [task("STARTED", "t"), "GENERATING_DESCRIPTION", 20],
    [task("STARTED", "td"), "GENERATING_IMAGE", 35],
    [task("STARTED", "tdi"), "IMAGE_GENERATED", 95],
    [task("RETRY", "td"), "RETRY", 35],
    [task("SUCCESS", "tdi"), "SUCCESS", 100],
    [task("FAILURE", "t"), "FAILURE", 100],
    [task("REVOKED"), "REVOKED", 100],
  ])("R-TRK-12, A-28: %j is %s, %i %%", (one, stage, percent) => {
    expect(stageOf(one)).toBe(stage);
    expect(taskPercent(one)).toBe(percent);
  });

  test("R-TRK-08: 100 only when all have finished", () => {
    expect(overallPercent([100, 100, 99])).toBe(99);
    expect(overallPercent([100, 100])).toBe(100);
    expect(overallPercent([])).toBe(0);
  });
});

describe("R-TRK-07: the estimate", () => {
  const now = new Date("2026-11-20T12:00:00Z");
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000);
  const alone = { users: 1, othersTasks: 0, earlierTasks: 0 };
  const one = {
    quality: "high" as const,
    remainingTasks: 1,
    slots: 8,
    imageMs: null,
    latestAt: null,
    now,
    ...alone,
  };

  test("60 seconds high, 50 standard, without measurements", () => {
    expect(estimateSeconds(one)).toBe(60);
    expect(estimateSeconds({ ...one, quality: "standard" })).toBe(50);
  });

  test("measurements win over the constants", () => {
    expect(estimateSeconds({ ...one, imageMs: 23_400 })).toBe(23);
    expect(estimateSeconds({ ...one, imageMs: 12_000, remainingTasks: 16, latestAt: ago(2) })).toBe(22);
  });

  test("counts down from the latest event, and never reaches zero while something remains", () => {
    expect(estimateSeconds({ ...one, latestAt: ago(20) })).toBe(40);
    expect(estimateSeconds({ ...one, latestAt: ago(500) })).toBe(5);
    expect(estimateSeconds({ ...one, latestAt: ago(-30) })).toBe(60);
    expect(estimateSeconds({ ...one, imageMs: 0 })).toBe(5);
  });

  test("pins in parallel take one wave, with as many in parallel as there are slots", () => {
    expect(estimateSeconds({ ...one, remainingTasks: 8 })).toBe(60);
    expect(estimateSeconds({ ...one, remainingTasks: 100 })).toBe(780);
    expect(estimateSeconds({ ...one, remainingTasks: 100, slots: 50 })).toBe(120);
  });

  test("the user's earlier pins go first; other users get only their share", () => {
    expect(estimateSeconds({ ...one, remainingTasks: 8, earlierTasks: 8 })).toBe(120);
    expect(estimateSeconds({ ...one, remainingTasks: 8, users: 2, othersTasks: 4 })).toBe(120);
    expect(estimateSeconds({ ...one, remainingTasks: 8, users: 2, othersTasks: 800 })).toBe(120);
    expect(estimateSeconds({ ...one, remainingTasks: 8, users: 10, othersTasks: 800 })).toBe(600);
  });

  test("R-TRK-04: null when nothing remains", () => {
    expect(estimateSeconds({ ...one, remainingTasks: 0 })).toBeNull();
  });
});

describe("R-SRV-02: the warning", () => {
  const warn = (requested: number, started: number, availableCredits: number, costCredits = 2) =>
    leftOutWarning({ requested, started, availableCredits, costCredits });

  test("says how many were left out", () => {
    expect(warn(5, 2, 5)).toBe("You have enough credits for 2 of 5 pins, so 3 keywords were left out.");
    expect(warn(2, 1, 1, 1)).toBe("You have enough credits for 1 of 2 pins, so 1 keyword was left out.");
  });

  test("says why no pin was started", () => {
    expect(warn(3, 0, 1)).toBe("You have 1 credit, but a pin at this quality costs 2. Nothing was generated.");
    expect(warn(3, 0, 0, 1)).toBe("You have 0 credits, but a pin at this quality costs 1. Nothing was generated.");
  });

  test("is null when all were started", () => {
    expect(warn(3, 3, 100)).toBeNull();
  });

  test("asks to confirm the email only where that gives more credits", () => {
    const start = { requested: 5, started: 2, availableCredits: 5, costCredits: 1 };
    const answers = ([undefined, "email_unconfirmed", "allowance_taken"] as const).map((leftOut) =>
      needsConfirmation(leftOutWarning({ ...start, leftOut }) ?? ""),
    );
    expect(answers).toEqual([false, true, false]);
  });
});

describe("R-SRV-04: decisions after a model's problem", () => {
  const text = "t";

  test("refused and misconfigured are final", () => {
    expect(decideRetry({ kind: "refused", text }, 0)).toEqual({ kind: "fail" });
    expect(decideRetry({ kind: "misconfigured", text }, 0)).toEqual({ kind: "fail" });
  });

  test("later honors the provider's wait, else backs off", () => {
    expect(decideRetry({ kind: "later", text, retryAfterSeconds: 17 }, 3)).toEqual({ kind: "retry", afterSeconds: 17 });
    const waits = [0, 1, 2, 3, 4, 5, 6].map((attempt) => decideRetry({ kind: "later", text }, attempt));
    expect(waits.map((wait) => wait.kind === "retry" && wait.afterSeconds)).toEqual([2, 4, 8, 16, 32, 60, 60]);
    expect(decideRetry({ kind: "later", text }, 20)).toEqual({ kind: "fail" });
  });

  test("unusable answers cost money: three attempts", () => {
    const decided = [0, 1, 2].map((attempt) => decideRetry({ kind: "unusable", text }, attempt).kind);
    expect(decided).toEqual(["retry", "retry", "fail"]);
  });
});

describe("the sweep", () => {
  test("a silent task is resent six times, then fails; a restored one starts over", () => {
    const decided = [0, 5, 6, 7, 10, 16].map((sweeps) => decideSweep({ sweeps }));
    expect(decided).toEqual(["send", "send", "give_up", "give_up", "send", "give_up"]);
  });

  test("a task may be silent for 45 seconds, and twice as long after each resend, up to 15 minutes", () => {
    const seconds = [0, 1, 2, 3, 4, 5, 10, 11].map((resends) => silenceAfterSending(resends) / SECOND_MS);
    expect(seconds).toEqual([45, 90, 180, 360, 720, 900, 45, 90]);
  });
});
