import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import { nameOf } from "../kit/apply-faults.ts";
import type { ControlState } from "../kit/control.ts";
import type { ListenOptions } from "../kit/serve.ts";
import { type Mailbox, readMessage } from "./inbox.ts";

/** A step of an SMTP conversation that faults can strike. */
interface Step {
  name: "CONNECT" | "RCPT" | "DATA";
  labels: Record<string, string>;
  socket: Socket | undefined;
  /** Does what the step is for; returns the id of what was kept. */
  act(): string | undefined;
}

/** Nothing when the step is accepted, the error that refuses it, or that no answer follows. */
type StepOutcome = undefined | Error | "silent";

/** Takes a step, or lets a fault strike it, and writes it into the log. */
async function playStep({ faults, log, clock }: ControlState, step: Step): Promise<StepOutcome> {
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
    fault: fault && nameOf(fault),
    created,
  });
  if (fault?.cut) socket?.destroy();
  if (isSilent) return "silent";
  if (isAccepted) return undefined;
  const text = typeof fault?.body === "string" ? fault.body : "Refused by a fault of the stand-in";
  return Object.assign(new Error(text), { responseCode: fault?.status });
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
  control: ControlState,
  { port, host }: Pick<ListenOptions, "port" | "host">,
): Promise<{ port: number; close(): Promise<void> }> {
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
    onConnect(session, callback) {
      const step = { name: "CONNECT", labels: {}, socket: socketOf(session), act: () => undefined } as const;
      answer(callback, playStep(control, step));
    },
    onRcptTo({ address }, session, callback) {
      const labels = { to: address.toLowerCase(), from: senderOf(session) };
      answer(callback, playStep(control, { name: "RCPT", labels, socket: socketOf(session), act: () => undefined }));
    },
    onData: (stream, session, callback) => answer(callback, take(mailbox, control, stream, session, socketOf(session))),
  });
  server.server.on("connection", (socket: Socket) => {
    // The session names an IPv4 address that came in over IPv6 by its own form.
    const name = `${socket.remoteAddress?.replace(/^::ffff:/, "")} ${socket.remotePort}`;
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
  if (address === null || typeof address === "string") throw new Error("The mail stand-in has no TCP port");
  return { port: address.port, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

function answer(callback: Callback, outcome: Promise<StepOutcome>): void {
  outcome.then((ended) => {
    if (ended !== "silent") callback(ended);
  }, callback);
}

async function take(
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
    mailbox.add(message);
    return message.id;
  };
  return playStep(control, { name: "DATA", labels, socket, act });
}

function senderOf({ envelope }: SMTPServerSession): string {
  return envelope.mailFrom === false ? "" : envelope.mailFrom.address.toLowerCase();
}
