export interface Email {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** The name may be user input. */
  replyTo?: { name: string; address: string };
  /** One-click unsubscribe URL for email clients (RFC 8058). */
  unsubscribeUrl?: string;
  /** Becomes the Message-ID, so that clients can recognize a duplicate sent after a crash. */
  uniqueKey: string;
}

/** Outgoing email. `send` throws when the server rejects it; the calling durable step retries. */
export interface EmailPort {
  send(email: Email): Promise<void>;
}
