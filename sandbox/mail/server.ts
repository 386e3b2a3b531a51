import { join } from "node:path";
import { controlRoutes } from "../kit/control.ts";
import { createFaults } from "../kit/faults.ts";
import { openJournal } from "../kit/journal.ts";
import { lookRoutes } from "../kit/look/page.ts";
import { createRequestLog, logRequests } from "../kit/request-log.ts";
import { createApp, type Handle, serve } from "../kit/serve.ts";
import { inboxPages } from "./inbox-pages.ts";
import { createMailbox } from "./mailbox.ts";
import type { MailMessage } from "./message.ts";
import { listenSmtp } from "./smtp.ts";

/** How to run the mail stand-in. Port 0 takes any free one. */
export interface MailOptions {
  smtpPort: number;
  webPort: number;
  host: string;
  /** Folder for `mail.jsonl`. */
  dataDir: string;
}

/** The running mail stand-in; `url` and `port` are the inbox page's. */
export interface MailHandle extends Handle {
  smtpPort: number;
  /** For the app's settings, e.g. `smtp://127.0.0.1:3125`. */
  smtpUrl: string;
}

/**
 * Starts the SMTP catcher and its inbox. `GET /api/messages?to=` answers an array, newest first;
 * `DELETE /api/messages` empties it.
 */
export async function startMail({ smtpPort, webPort, host, dataDir }: MailOptions): Promise<MailHandle> {
  const journal = openJournal<MailMessage>(join(dataDir, "mail.jsonl"));
  const mailbox = createMailbox(journal);
  const log = createRequestLog();
  const app = createApp();
  app.use("*", logRequests(log));
  app.route("/__control", controlRoutes({ faults: createFaults(), log, reset: () => mailbox.clear() }));
  app.route("/__look", lookRoutes());
  app.get("/api/messages", (c) => c.json(mailbox.list(c.req.query("to"))));
  app.delete("/api/messages", (c) => {
    mailbox.clear();
    return c.body(null, 204);
  });
  app.route("/", inboxPages(mailbox));
  const smtp = await listenSmtp(mailbox, { port: smtpPort, host });
  const web = await serve(app, { port: webPort, host }).catch(async (error: unknown) => {
    await smtp.close();
    throw error;
  });
  const close = async () => {
    await Promise.all([smtp.close(), web.close()]);
    journal.close();
  };
  const smtpUrl = `smtp://${host.includes(":") ? `[${host}]` : host}:${smtp.port}`;
  return { ...web, smtpPort: smtp.port, smtpUrl, close, [Symbol.asyncDispose]: close };
}
