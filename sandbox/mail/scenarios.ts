import type { FaultScenarios, PreparedFault } from "../kit/faults.ts";

const RECIPIENT = "RCPT /";
const MESSAGE = "DATA /";

const refuse = (match: string, about: string, status: number, body: string): PreparedFault => ({
  match,
  about,
  status,
  body,
});

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
