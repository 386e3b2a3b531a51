import { join } from "node:path";
import { controlRoutes, openControlState } from "../kit/control.ts";
import type { FaultScenarios, PreparedFault } from "../kit/faults.ts";
import { openJournal } from "../kit/journal.ts";
import { lookRoutes } from "../kit/look/page.ts";
import { createApp, type Handle, serve } from "../kit/serve.ts";
import { createMailbox, inboxPages, type MailMessage } from "./inbox.ts";
import { listenSmtp } from "./smtp.ts";

const RECIPIENT = "RCPT /";
const MESSAGE = "DATA /";

const refuse = (match: string, about: string, status: number, body: string): PreparedFault => {
  return { match, about, status, body };
};

/**
 * The prepared faults. `RCPT /` is the naming of a recipient (`where: {to, from}`), `DATA /` the message itself
 * (`where: {to, from, subject}`), `CONNECT /` the greeting.
 */
export const MAIL_SCENARIOS: FaultScenarios = {
  "recipient-refused": refuse(RECIPIENT, "550: there is no such mailbox", 550, "5.1.1 No such mailbox"),
  "recipient-later": refuse(RECIPIENT, "451: try this recipient later", 451, "4.2.0 Mailbox busy, try again later"),
  "message-refused": refuse(MESSAGE, "554: the message is refused", 554, "5.7.1 Message refused"),
  "message-later": refuse(MESSAGE, "451: the message is put off", 451, "4.3.0 Try again later"),
  "cut-after-accepted": {
    match: MESSAGE,
    about: "The message is in the inbox, the connection ends without an answer",
    cut: true,
    after: "creating",
  },
  "cut-before": { match: MESSAGE, about: "The connection ends, the message is lost", cut: true },
  slow: { match: MESSAGE, about: "The right answer, five seconds late", delayMs: 5_000 },
  hang: { match: MESSAGE, about: "No answer, the message is lost", hang: true },
  "no-service": refuse("CONNECT /", "421: the server takes no mail now", 421, "4.3.2 Service not available"),
};

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
 * Starts the SMTP catcher and its inbox. The log of `/__control` holds the SMTP steps, not the pages.
 * `GET /api/messages?to=` answers an array, newest first; `DELETE /api/messages` empties it.
 */
export async function startMail(options: MailOptions): Promise<MailHandle> {
  const { smtpPort, webPort, host, dataDir } = options;
  const journal = openJournal<MailMessage>(join(dataDir, "mail.jsonl"));
  const mailbox = createMailbox(journal);
  const control = openControlState(dataDir, { scenarios: MAIL_SCENARIOS, settings: {} });
  const counts = () => ({ messages: mailbox.list().length });
  const app = createApp();
  app.route("/__control", controlRoutes(control, { counts, reset: mailbox.clear }));
  app.route("/__look", lookRoutes());
  app.get("/api/messages", (c) => c.json(mailbox.list(c.req.query("to"))));
  app.delete("/api/messages", (c) => {
    mailbox.clear();
    return c.body(null, 204);
  });
  app.route("/", inboxPages(mailbox));
  const smtp = await listenSmtp(mailbox, control, { port: smtpPort, host });
  const web = await serve(app, { port: webPort, host }).catch(async (error: unknown) => {
    await smtp.close();
    throw error;
  });
  const close = async () => {
    await Promise.all([smtp.close(), web.close()]);
    journal.close();
    control.close();
  };
  const smtpUrl = `smtp://${host.includes(":") ? `[${host}]` : host}:${smtp.port}`;
  return { ...web, smtpPort: smtp.port, smtpUrl, close, [Symbol.asyncDispose]: close };
}
