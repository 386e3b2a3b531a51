import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import type { ActiveFault, Faults } from "../kit/faults.ts";
import type { RequestLog } from "../kit/journal.ts";
import type { ListenOptions } from "../kit/serve.ts";
import { type Mailbox, readMessage } from "./inbox.ts";

/** A step of an SMTP conversation that faults can strike. */
type SmtpStep = "CONNECT" | "RCPT" | "DATA";

/** How a step ends: taken (with the id of what was kept), refused with a code and text, or without any answer. */
type SmtpOutcome = { kind: "taken"; id?: string } | { kind: "refused"; error: Error } | { kind: "silent" };

/** What a step is played with. */
interface SmtpStage {
  faults: Faults;
  log: RequestLog;
}

const USUAL_TEXT = "Refused by a fault of the stand-in";

/**
 * Takes a step, or lets a fault strike it, and writes it into the log. `act` does what the step is for; it is not
 * called when the fault comes before.
 */
async function playStep(
  { faults, log }: SmtpStage,
  step: SmtpStep,
  labels: Record<string, string>,
  socket: Socket | undefined,
  act: () => Promise<string | undefined>,
): Promise<SmtpOutcome> {
  const at = new Date().toISOString();
  const startedAtMs = performance.now();
  const fault = faults.take(`${step} /`, labels);
  const isActedOn = fault === undefined || fault.after === "creating" || isHarmless(fault);
  const created = isActedOn ? await act() : undefined;
  if (fault?.delayMs !== undefined) await delay(fault.delayMs);
  const outcome = outcomeOf(fault, created);
  log.record({
    at,
    method: step,
    path: "/",
    status: outcome.kind === "taken" ? 250 : outcome.kind === "silent" ? 0 : (fault?.status ?? 0),
    note: fault === undefined ? "" : `fault: ${nameOf(fault)}`,
    tookMs: Math.round(performance.now() - startedAtMs),
    cut: outcome.kind === "silent",
    labels,
    ...(fault !== undefined && { fault: nameOf(fault) }),
    ...(created !== undefined && { created }),
  });
  if (fault?.cut) socket?.destroy();
  return outcome;
}

function isHarmless(fault: ActiveFault): boolean {
  return !fault.cut && !fault.hang && fault.status === undefined;
}

function outcomeOf(fault: ActiveFault | undefined, id: string | undefined): SmtpOutcome {
  if (fault === undefined || isHarmless(fault)) return id === undefined ? { kind: "taken" } : { kind: "taken", id };
  if (fault.cut || fault.hang) return { kind: "silent" };
  const text = typeof fault.body === "string" ? fault.body : USUAL_TEXT;
  return { kind: "refused", error: Object.assign(new Error(text), { responseCode: fault.status }) };
}

function nameOf(fault: ActiveFault): string {
  if (fault.scenario !== undefined) return fault.scenario;
  if (fault.cut) return "cut";
  return fault.hang ? "hang" : String(fault.status ?? "slow");
}

/** The running SMTP side. */
interface SmtpListener {
  port: number;
  close(): Promise<void>;
}

type Callback = (error?: Error | null) => void;

const MOST_MESSAGE_BYTES = 25 * 1024 * 1024;
const CLOSE_GRACE_MS = 250;

/**
 * Listens for mail: no encryption, any sign-in or none. A message is acknowledged when it is in the mailbox, unless a
 * fault wants it otherwise.
 * @throws the listen error when the port cannot be had.
 */
export async function listenSmtp(
  mailbox: Mailbox,
  stage: SmtpStage,
  { port, host }: Pick<ListenOptions, "port" | "host">,
): Promise<SmtpListener> {
  const sockets = new Map<string, Socket>();
  const socketOf = ({ remoteAddress, remotePort }: SMTPServerSession) => sockets.get(`${remoteAddress} ${remotePort}`);
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    size: MOST_MESSAGE_BYTES,
    closeTimeout: CLOSE_GRACE_MS,
    onAuth: (auth, _session, callback) => callback(null, { user: auth.username ?? "anyone" }),
    onConnect: (session, callback) => {
      answer(
        callback,
        playStep(stage, "CONNECT", {}, socketOf(session), async () => undefined),
      );
    },
    onRcptTo: ({ address }, session, callback) => {
      const labels = { to: address.toLowerCase(), from: senderOf(session) };
      answer(
        callback,
        playStep(stage, "RCPT", labels, socketOf(session), async () => undefined),
      );
    },
    onData: (stream, session, callback) => answer(callback, take(mailbox, stage, stream, session, socketOf(session))),
  });
  server.server.on("connection", (socket: Socket) => {
    const name = `${withoutMapping(socket.remoteAddress)} ${socket.remotePort}`;
    sockets.set(name, socket);
    socket.once("close", () => sockets.delete(name));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  server.on("error", (error) => console.error("Mail stand-in:", error.message));
  const address = server.server.address();
  if (address === null || typeof address === "string")
    throw new Error("The mail stand-in is not listening on a TCP port");
  return { port: address.port, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

function answer(callback: Callback, outcome: Promise<SmtpOutcome>): void {
  outcome.then(
    (ended) => {
      if (ended.kind !== "silent") callback(ended.kind === "refused" ? ended.error : undefined);
    },
    (error: unknown) => callback(error instanceof Error ? error : new Error(String(error))),
  );
}

async function take(
  mailbox: Mailbox,
  stage: SmtpStage,
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  socket: Socket | undefined,
): Promise<SmtpOutcome> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  const recipients = session.envelope.rcptTo.map(({ address }) => address);
  const message = await readMessage(Buffer.concat(chunks), recipients, new Date());
  const labels = { to: recipients.join(",").toLowerCase(), from: senderOf(session), subject: message.subject };
  return playStep(stage, "DATA", labels, socket, async () => {
    mailbox.add(message);
    return message.id;
  });
}

function senderOf({ envelope }: SMTPServerSession): string {
  return envelope.mailFrom === false ? "" : envelope.mailFrom.address.toLowerCase();
}

/** The session names an IPv4 address that came in over IPv6 by its own form. */
function withoutMapping(address: string | undefined): string {
  return (address ?? "").replace(/^::ffff:/, "");
}
