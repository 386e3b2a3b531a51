import { join } from "node:path";
import { controlRoutes } from "../kit/control.ts";
import { openControlState } from "../kit/control-state.ts";
import { openJournal } from "../kit/journal.ts";
import { lookRoutes } from "../kit/look/page.ts";
import { createApp, type Handle, serve } from "../kit/serve.ts";
import { inboxPages } from "./inbox-pages.ts";
import { createMailbox } from "./mailbox.ts";
import type { MailMessage } from "./message.ts";
import { MAIL_SCENARIOS } from "./scenarios.ts";
import { listenSmtp } from "./smtp.ts";

/** How to run the mail stand-in. Port 0 takes any free one. */
export interface MailOptions {
  smtpPort: number;
  webPort: number;
  host: string;
  /** Folder for `mail.jsonl`. */
  dataDir: string;
  /** Origin of the inbox page, when it is not this machine's loopback. */
  publicUrl?: string;
}

/** The running mail stand-in; `url` and `port` are the inbox page's. */
export interface MailHandle extends Handle {
  smtpPort: number;
  /** For the app's settings, e.g. `smtp://127.0.0.1:3125`. */
  smtpUrl: string;
}

/**
 * Starts the SMTP catcher and its inbox. The log of `/__control` holds the SMTP steps, not the pages. `GET /api/messages?to=` answers an array, newest first;
 * `DELETE /api/messages` empties it.
 */
export async function startMail(options: MailOptions): Promise<MailHandle> {
  const { smtpPort, webPort, host, dataDir, publicUrl } = options;
  const journal = openJournal<MailMessage>(join(dataDir, "mail.jsonl"));
  const mailbox = createMailbox(journal);
  const control = openControlState(dataDir, { scenarios: MAIL_SCENARIOS, settings: {} });
  const { faults, log } = control;
  const counts = () => ({ messages: mailbox.list().length });
  const app = createApp();
  app.route("/__control", controlRoutes({ faults, log, counts, reset: () => mailbox.clear() }));
  app.route("/__look", lookRoutes());
  app.get("/api/messages", (c) => c.json(mailbox.list(c.req.query("to"))));
  app.delete("/api/messages", (c) => {
    mailbox.clear();
    return c.body(null, 204);
  });
  app.route("/", inboxPages(mailbox));
  const smtp = await listenSmtp(mailbox, control, { port: smtpPort, host });
  const web = await serve(app, { port: webPort, host, ...(publicUrl !== undefined && { publicUrl }) }).catch(
    async (error: unknown) => {
      await smtp.close();
      throw error;
    },
  );
  const close = async () => {
    await Promise.all([smtp.close(), web.close()]);
    journal.close();
    control.close();
  };
  const smtpUrl = `smtp://${host.includes(":") ? `[${host}]` : host}:${smtp.port}`;
  return { ...web, smtpPort: smtp.port, smtpUrl, close, [Symbol.asyncDispose]: close };
}
