import { eq } from "drizzle-orm";
import { beforeEach } from "vitest";
import { emailOutbox } from "#db/schema/email.ts";
import { users } from "#db/schema/identity.ts";
import type { FullCtx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { type EmailContent, emailContent } from "#lib/features/email/schema.ts";
import { type SeededPin, seedPins } from "#tests/support/analytics-seed.ts";
import { contextOf } from "#tests/support/context.ts";
import { analyticsHarness, type Publisher } from "./analytics-harness.ts";

type Weekly = Extract<EmailContent, { kind: "weekly_results" }>;

export const userIdOf = ({ ctx }: Publisher): UserId => {
  if (ctx.actor.kind !== "user") throw new Error("A publisher is a user.");
  return ctx.actor.userId;
};

/** A published pin with the same metrics each day. */
export const seen = (impressions: number, outboundClicks = 0, row: SeededPin["row"] = {}): SeededPin => ({
  row,
  daily: { impressions, outboundClicks },
});

/** A harness for the calling file; each test starts without users at 8:00:30 AM UTC on a Monday. */
export const weeklyHarness = () => {
  const { harness, publisher } = analyticsHarness();
  const job = (): FullCtx => contextOf(harness(), { kind: "job", name: "send-weekly-emails" });
  /** Moves both clocks to a time. */
  const setClock = (iso: string) => harness().moveClock(Date.parse(iso) - harness().now().getTime());

  beforeEach(async () => {
    await job().db.delete(users);
    await setClock("2026-11-23T08:00:30Z");
  });

  return {
    ...{ harness, job, setClock },
    /** The weekly emails of a user, oldest first. */
    emailsOf: async (own: Publisher): Promise<Weekly[]> => {
      const rows = await job()
        .db.select()
        .from(emailOutbox)
        .where(eq(emailOutbox.userId, userIdOf(own)))
        .orderBy(emailOutbox.createdAt);
      return rows
        .map(({ content }) => emailContent.parse(content))
        .filter((content) => content.kind === "weekly_results");
    },
    /** A user with published pins in a time zone. */
    recipient: async (pinsOfTheirs: SeededPin[] = [seen(100, 3)], zone = "UTC"): Promise<Publisher> => {
      const own = await publisher();
      await job()
        .db.update(users)
        .set({ timeZone: zone })
        .where(eq(users.id, userIdOf(own)));
      await seedPins(own.ctx, own.accountId, pinsOfTheirs);
      return own;
    },
  };
};
