import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { FullCtx } from "#lib/context.ts";
import type { LetterId, LoginId, UserId } from "#lib/core/ids.ts";
import { deliverLetter } from "#lib/features/email/delivery.ts";
import { sendReset } from "#lib/features/identity/password-reset.ts";
import { sendVerification } from "#lib/features/identity/registration.ts";
import { logIn } from "#lib/features/identity/sessions.ts";
import { type MailHandle, startMail } from "#sandbox/mail/server.ts";
import { contextOf, createTestHouse, createUser, type TestHouse } from "#tests/support/context.ts";
import { databaseForFile } from "#tests/support/database.ts";

export const PASSWORD = "correct horse 1";
export const NEW_PASSWORD = "Fresh-Moss-42!";

/** A caught mail. */
export interface Caught {
  from: string;
  replyTo: string;
  to: string[];
  subject: string;
  text: string;
  html: string;
  links: string[];
}

export interface Person {
  ctx: FullCtx;
  userId: UserId;
  email: string;
}

/** The world of an identity test: a database, the mail stand-in, and the durable engine's part played by hand. */
export interface World {
  readonly house: TestHouse;
  readonly storageDir: string;
  visitor(userAgent?: string): FullCtx;
  job(): FullCtx;
  person(): Promise<Person>;
  /** Logs in, and gives the context of that login. */
  enter(person: Pick<Person, "email">, password?: string, userAgent?: string): Promise<FullCtx>;
  /** Does what the durable functions would upon everything that was sent to them since the last time. */
  work(): Promise<void>;
  /** The mails to an address, newest first. */
  mailsTo(address: string): Promise<Caught[]>;
  strike(fault: { match: string; scenario: string; times?: number }): Promise<void>;
}

const workOn = async (job: FullCtx, event: TestHouse["sentEvents"][number]): Promise<void> => {
  if (event.name === "identity/reset.requested") await sendReset(job, event.data);
  // Ids that the verbs made.
  if (event.name === "letters/letter.posted") {
    await deliverLetter(job, { letterId: event.data.letterId as LetterId });
  }
  if (event.name === "identity/verification.requested") {
    await sendVerification(job, { ...event.data, userId: event.data.userId as UserId });
  }
};

/** Gives the calling test file its world. */
export const identityWorld = (): World => {
  const database = databaseForFile();
  const storageDir = mkdtempSync(join(tmpdir(), "identity-"));
  let mail: MailHandle;
  let house: TestHouse;
  let worked = 0;

  beforeAll(async () => {
    mail = await startMail({ smtpPort: 0, webPort: 0, host: "127.0.0.1", dataDir: storageDir });
    house = createTestHouse({ databaseUrl: database().url, storageDir, smtpUrl: mail.smtpUrl });
  });
  afterAll(async () => {
    await house.close();
    await mail.close();
    rmSync(storageDir, { recursive: true, force: true });
  });

  const job = () => contextOf(house, { kind: "job", name: "test" });
  const visitor = (userAgent?: string) =>
    contextOf(house, { kind: "visitor", address: "127.0.0.1", userAgent: userAgent ?? null });
  return {
    storageDir,
    get house() {
      return house;
    },
    visitor,
    job,
    person: () => createUser(house),
    enter: async ({ email }, password = PASSWORD, userAgent) => {
      const { userId, loginId } = await logIn(visitor(userAgent), { email, password });
      return contextOf(house, { kind: "user", userId, loginId: loginId as LoginId, address: "127.0.0.1" });
    },
    work: async () => {
      for (; worked < house.sentEvents.length; worked += 1) {
        const event = house.sentEvents[worked];
        if (event) await workOn(job(), event);
      }
    },
    mailsTo: async (address) => (await fetch(`${mail.url}/api/messages?to=${encodeURIComponent(address)}`)).json(),
    strike: async (fault) => {
      const answer = await fetch(`${mail.url}/__control/faults`, { method: "POST", body: JSON.stringify(fault) });
      if (!answer.ok) throw new Error(await answer.text());
    },
  };
};

/** The token at the end of a mail's link to a page. */
export const tokenIn = (mail: Caught | undefined, page: string): string =>
  mail?.links.find((link) => link.includes(`/${page}/`))?.split(`/${page}/`)[1] ?? "";
