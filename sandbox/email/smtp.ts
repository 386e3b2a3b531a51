import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import type { ControlState } from "../kit/control.ts";
import { faultName } from "../kit/faults.ts";
import type { ListenOptions } from "../kit/serve.ts";
import { type Mailbox, readMessage } from "./inbox.ts";

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
export async function listenSmtp(
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
