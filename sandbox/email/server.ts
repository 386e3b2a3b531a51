import { once } from "node:events";
import type { Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import { type ControlState, controlRoutes, openControlState } from "../kit/control.ts";
import { doneFaults, type FaultScenarios, faultName, type PreparedFault } from "../kit/faults.ts";
import { openJournal } from "../kit/journal.ts";
import { createApp, type Handle, inUrl, type ListenOptions, serve } from "../kit/serve.ts";
import { uiRoutes } from "../kit/ui/page.ts";
import { type EmailMessage, inboxPages, listMessages, type Mailbox, openMailbox, readMessage } from "./inbox.ts";

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
  "cut-after-accepted": doneFaults(MESSAGE, "The message is stored").lost,
  "cut-before": { match: MESSAGE, about: "The connection closes and the message is lost", cut: true },
  slow: { match: MESSAGE, about: "A normal reply, five seconds late", delayMs: 5_000 },
  hang: { match: MESSAGE, about: "No reply, and the message is lost", hang: true },
  "no-service": refuse("CONNECT /", "421: the server isn't accepting mail", 421, "4.3.2 Service not available"),
};

interface EmailOptions {
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

/** A step of an SMTP conversation that faults can affect. */
interface Step {
  name: "CONNECT" | "RCPT" | "DATA";
  labels: Record<string, string>;
  socket: Socket | undefined;
  /** Performs the step; returns the id of what was stored. */
  act(): string | undefined;
}

/** Undefined if the step is accepted, an error if it is rejected, "silent" if no reply follows. */
type StepOutcome = undefined | Error | "silent";

async function runStep({ faults, log, clock }: ControlState, step: Step): Promise<StepOutcome> {
  const { name, labels, socket } = step;
  const at = clock.now().toISOString();
  const startedAtMs = performance.now();
  const fault = faults.take(`${name} /`, labels);
  const isSilent = fault?.cut === true || fault?.hang === true;
  const isAccepted = !isSilent && fault?.status === undefined;
  const created = isAccepted || fault?.after === "creating" ? step.act() : undefined;
  if (fault?.delayMs !== undefined) await delay(fault.delayMs);
  log.record({
    at,
    method: name,
    path: "/",
    status: isSilent ? 0 : (fault?.status ?? 250),
    tookMs: Math.round(performance.now() - startedAtMs),
    cut: isSilent,
    labels,
    fault: fault && faultName(fault),
    created,
  });
  if (fault?.cut) socket?.destroy();
  if (isSilent) return "silent";
  if (isAccepted) return undefined;
  const text = typeof fault?.body === "string" ? fault.body : "Rejected by a simulated fault";
  return Object.assign(new Error(text), { responseCode: fault?.status });
}

type Callback = (error?: Error | null) => void;

const MAX_MESSAGE_BYTES = 25 * 1024 * 1024;
const CLOSE_GRACE_MS = 250;

/** Listens for email without encryption, with any credentials or none. @throws the listen error, e.g. EADDRINUSE. */
async function listenSmtp(
  mailbox: Mailbox,
  control: ControlState,
  { port, host }: ListenOptions,
): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Map<string, Socket>();
  const socketOf = ({ remoteAddress, remotePort }: SMTPServerSession) => sockets.get(`${remoteAddress} ${remotePort}`);
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    size: MAX_MESSAGE_BYTES,
    closeTimeout: CLOSE_GRACE_MS,
    onAuth: (auth, _session, callback) => callback(null, { user: auth.username ?? "anyone" }),
    onConnect(session, callback) {
      const step = { name: "CONNECT", labels: {}, socket: socketOf(session), act: () => undefined } as const;
      respond(callback, runStep(control, step));
    },
    onRcptTo({ address }, session, callback) {
      const labels = { to: address.toLowerCase(), from: senderOf(session) };
      respond(callback, runStep(control, { name: "RCPT", labels, socket: socketOf(session), act: () => undefined }));
    },
    onData: (stream, session, callback) =>
      respond(callback, receiveMessage(mailbox, control, stream, session, socketOf(session))),
  });
  server.server.on("connection", (socket: Socket) => {
    // The session reports IPv4-mapped addresses in their IPv4 form.
    const name = `${socket.remoteAddress?.replace(/^::ffff:/, "")} ${socket.remotePort}`;
    sockets.set(name, socket);
    socket.once("close", () => sockets.delete(name));
  });
  let isListening = false;
  server.on("error", (error) => isListening && console.error("Email stand-in:", error.message));
  await once(server.listen(port, host), "listening");
  isListening = true;
  const address = server.server.address();
  if (address === null || typeof address === "string") throw new Error("The email stand-in has no TCP port");
  return { port: address.port, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

function respond(callback: Callback, outcome: Promise<StepOutcome>): void {
  outcome.then((ended) => {
    if (ended !== "silent") callback(ended);
  }, callback);
}

async function receiveMessage(
  mailbox: Mailbox,
  control: ControlState,
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  socket: Socket | undefined,
): Promise<StepOutcome> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  const recipients = session.envelope.rcptTo.map(({ address }) => address);
  const message = await readMessage(Buffer.concat(chunks), recipients, new Date());
  const labels = { to: recipients.join(",").toLowerCase(), from: senderOf(session), subject: message.subject };
  const act = () => {
    mailbox.append(message);
    return message.id;
  };
  return runStep(control, { name: "DATA", labels, socket, act });
}

function senderOf({ envelope }: SMTPServerSession): string {
  return envelope.mailFrom === false ? "" : envelope.mailFrom.address.toLowerCase();
}
