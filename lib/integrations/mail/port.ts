export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Whom an answer goes to, when not to us. The name may be anything a person typed. */
  replyTo?: { name: string; address: string };
  /** Where a mail program switches mails like this one off by one POST, without asking anybody (RFC 8058). */
  unsubscribeUrl?: string;
  /** Becomes the Message-ID, so that a mail sent twice after a crash is recognisable as one. */
  uniqueKey: string;
}

/** Outgoing mail. @throws when the server does not take it; the durable step that calls tries again. */
export interface MailPort {
  send(mail: Mail): Promise<void>;
}
