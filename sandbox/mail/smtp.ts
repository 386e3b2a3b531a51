import type { Socket } from "node:net";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import type { ListenOptions } from "../kit/serve.ts";
import type { Mailbox } from "./mailbox.ts";
import { readMessage } from "./message.ts";
import { playStep, type SmtpOutcome, type SmtpStage } from "./smtp-faults.ts";

/** The running SMTP side. */
export interface SmtpListener {
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
