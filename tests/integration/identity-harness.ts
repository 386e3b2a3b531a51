import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll } from "vitest";
import { users } from "#db/schema/identity.ts";
import type { FullCtx } from "#lib/context.ts";
import type { EmailId, LoginId, UserId } from "#lib/core/ids.ts";
import { deliverEmail } from "#lib/features/email/delivery.ts";
import { sendReset } from "#lib/features/identity/password-reset.ts";
import { sendVerification } from "#lib/features/identity/registration.ts";
import { logIn } from "#lib/features/sign-in/sign-in.ts";
import { type EmailHandle, startEmail } from "#sandbox/email/server.ts";
import { contextOf, createTestHarness, createUser, type TestHarness } from "#tests/support/context.ts";
import { databaseForFile } from "#tests/support/database.ts";

export const PASSWORD = "correct horse 1";
export const NEW_PASSWORD = "Fresh-Moss-42!";

/** An email received by the stand-in. */
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

/** The setup of an identity test: a database, the email stand-in, and a manually driven durable engine. */
export interface TestSetup {
  readonly harness: TestHarness;
  readonly storageDir: string;
  visitor(userAgent?: string): FullCtx;
  job(): FullCtx;
  person(): Promise<Person>;
  /** One who has confirmed their email. */
  confirmedPerson(): Promise<Person>;
  /** Logs in and returns the context of the new session. */
  enter(person: Pick<Person, "email">, password?: string, userAgent?: string): Promise<FullCtx>;
  /** Runs the durable functions for all events sent since the last call. */
  work(): Promise<void>;
  /** The emails to an address, newest first. */
  emailsTo(address: string): Promise<Caught[]>;
  addFault(fault: { match: string; scenario: string; times?: number }): Promise<void>;
}

const workOn = async (job: FullCtx, event: TestHarness["sentEvents"][number]): Promise<void> => {
  if (event.name === "identity/reset.requested") await sendReset(job, event.data);
  // The ids come from use cases, so the casts are safe.
  if (event.name === "email/email.queued") {
    await deliverEmail(job, { emailId: event.data.emailId as EmailId });
  }
  if (event.name === "identity/verification.requested") {
    await sendVerification(job, { ...event.data, userId: event.data.userId as UserId });
  }
};

/** Creates the setup of the calling test file. */
export const identitySetup = (): TestSetup => {
  const database = databaseForFile();
  const storageDir = mkdtempSync(join(tmpdir(), "identity-"));
  let emailServer: EmailHandle;
  let harness: TestHarness;
  let worked = 0;

  beforeAll(async () => {
    emailServer = await startEmail({ smtpPort: 0, webPort: 0, host: "127.0.0.1", dataDir: storageDir });
    harness = createTestHarness({ databaseUrl: database().url, storageDir, smtpUrl: emailServer.smtpUrl });
  });
  afterAll(async () => {
    await harness.close();
    await emailServer.close();
    rmSync(storageDir, { recursive: true, force: true });
  });

  const job = () => contextOf(harness, { kind: "job", name: "test" });
  const visitor = (userAgent?: string) =>
    contextOf(harness, { kind: "visitor", address: "127.0.0.1", userAgent: userAgent ?? null });
  return {
    storageDir,
    get harness() {
      return harness;
    },
    visitor,
    job,
    person: () => createUser(harness),
    confirmedPerson: async () => {
      const person = await createUser(harness);
      const { db } = harness.database;
      await db.update(users).set({ emailVerifiedAt: harness.now() }).where(eq(users.id, person.userId));
      return person;
    },
    enter: async ({ email }, password = PASSWORD, userAgent) => {
      const { userId, loginId } = await logIn(visitor(userAgent), { email, password });
      return contextOf(harness, { kind: "user", userId, loginId: loginId as LoginId, address: "127.0.0.1" });
    },
    work: async () => {
      for (; worked < harness.sentEvents.length; worked += 1) {
        const event = harness.sentEvents[worked];
        if (event) await workOn(job(), event);
      }
    },
    emailsTo: async (address) =>
      (await fetch(`${emailServer.url}/api/messages?to=${encodeURIComponent(address)}`)).json(),
    addFault: async (fault) => {
      const answer = await fetch(`${emailServer.url}/__control/faults`, {
        method: "POST",
        body: JSON.stringify(fault),
      });
      if (!answer.ok) throw new Error(await answer.text());
    },
  };
};

/** The token of an email's link to a page. */
export const tokenIn = (email: Caught | undefined, page: string): string =>
  email?.links.find((link) => link.includes(`/${page}/`))?.split(`/${page}/`)[1] ?? "";
