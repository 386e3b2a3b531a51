import { join } from "node:path";
import { controlRoutes, openControlState } from "../kit/control.ts";
import type { FaultScenarios, PreparedFault } from "../kit/faults.ts";
import { openJournal } from "../kit/journal.ts";
import { createApp, type Handle, inUrl, serve } from "../kit/serve.ts";
import { uiRoutes } from "../kit/ui/page.ts";
import { type EmailMessage, inboxPages, listMessages, openMailbox } from "./inbox.ts";
import { listenSmtp } from "./smtp.ts";

const RECIPIENT = "RCPT /";
const MESSAGE = "DATA /";

const refuse = (match: string, about: string, status: number, body: string): PreparedFault => {
  return { match, about, status, body };
};

/** The predefined faults. `RCPT /` is the naming of a recipient, `DATA /` the message, `CONNECT /` the greeting. */
export const EMAIL_SCENARIOS: FaultScenarios = {
  "recipient-refused": refuse(RECIPIENT, "550: no such mailbox", 550, "5.1.1 No such mailbox"),
  "recipient-later": refuse(RECIPIENT, "451: try this recipient later", 451, "4.2.0 Mailbox busy, try again later"),
  "message-refused": refuse(MESSAGE, "554: the message is refused", 554, "5.7.1 Message refused"),
  "message-later": refuse(MESSAGE, "451: the message is deferred", 451, "4.3.0 Try again later"),
  "cut-after-accepted": {
    match: MESSAGE,
    about: "The message is stored, then the connection closes without a reply",
    cut: true,
    after: "creating",
  },
  "cut-before": { match: MESSAGE, about: "The connection closes and the message is lost", cut: true },
  slow: { match: MESSAGE, about: "A normal reply, five seconds late", delayMs: 5_000 },
  hang: { match: MESSAGE, about: "No reply, and the message is lost", hang: true },
  "no-service": refuse("CONNECT /", "421: the server isn't accepting mail", 421, "4.3.2 Service not available"),
};

export interface EmailOptions {
  smtpPort: number;
  webPort: number;
  host: string;
  /** Folder for `mail.jsonl`. */
  dataDir: string;
}

export interface EmailHandle extends Handle {
  smtpPort: number;
  /** For the app's settings, e.g. `smtp://127.0.0.1:3125`. */
  smtpUrl: string;
}

/** Starts the SMTP server and its inbox. The log of `/__control` records SMTP steps, not page views. */
export async function startEmail(options: EmailOptions): Promise<EmailHandle> {
  const { smtpPort, webPort, host, dataDir } = options;
  const journal = openJournal<EmailMessage>(join(dataDir, "mail.jsonl"));
  const mailbox = openMailbox(journal);
  const control = openControlState(dataDir, { scenarios: EMAIL_SCENARIOS, settings: {} });
  const counts = () => ({ messages: mailbox.state.length });
  const app = createApp();
  app.route("/__control", controlRoutes(control, { counts, reset: mailbox.reset }));
  app.route("/__ui", uiRoutes());
  app.get("/api/messages", (c) => c.json(listMessages(mailbox, c.req.query("to"))));
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
  const smtpUrl = `smtp://${inUrl(host)}:${smtp.port}`;
  return { ...web, smtpPort: smtp.port, smtpUrl, close, [Symbol.asyncDispose]: close };
}
