import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import type { ListenOptions } from "../kit/serve.ts";
import type { Mailbox } from "./mailbox.ts";
import { readMessage } from "./message.ts";

/** The running SMTP side. */
export interface SmtpListener {
  port: number;
  close(): Promise<void>;
}

const MOST_MESSAGE_BYTES = 25 * 1024 * 1024;
const CLOSE_GRACE_MS = 250;

/**
 * Listens for mail: no encryption, any sign-in or none. A message is acknowledged when it is in the mailbox.
 * @throws the listen error when the port cannot be had.
 */
export async function listenSmtp(mailbox: Mailbox, { port, host }: ListenOptions): Promise<SmtpListener> {
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    size: MOST_MESSAGE_BYTES,
    closeTimeout: CLOSE_GRACE_MS,
    onAuth: (auth, _session, callback) => callback(null, { user: auth.username ?? "anyone" }),
    onData: (stream, session, callback) => {
      keep(mailbox, stream, session).then(
        () => callback(),
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error))),
      );
    },
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

async function keep(mailbox: Mailbox, stream: SMTPServerDataStream, session: SMTPServerSession): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  const recipients = session.envelope.rcptTo.map(({ address }) => address);
  mailbox.add(await readMessage(Buffer.concat(chunks), recipients, new Date()));
}
