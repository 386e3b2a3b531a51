/** A message of PostgreSQL's protocol: its type ("" for untyped startup messages) and its bytes, header included. */
export interface PgMessage {
  type: string;
  bytes: Buffer;
}

const HEAD_BYTES = 5;

/** Splits a stream into messages. `startsNameless`: the client's first messages have no type. */
export class PgSplitter {
  #rest: Buffer = Buffer.alloc(0);
  #isNameless: boolean;

  constructor(startsNameless: boolean) {
    this.#isNameless = startsNameless;
  }

  /** Returns the messages that these bytes complete, and buffers the rest. */
  push(chunk: Buffer): PgMessage[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const messages: PgMessage[] = [];
    for (let message = this.#next(); message; message = this.#next()) messages.push(message);
    return messages;
  }

  #next(): PgMessage | undefined {
    const nameBytes = this.#isNameless ? 0 : 1;
    if (this.#rest.length < nameBytes + 4) return undefined;
    const length = nameBytes + this.#rest.readInt32BE(nameBytes);
    if (this.#rest.length < length) return undefined;
    const bytes = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    const type = this.#isNameless ? "" : String.fromCharCode(bytes[0] ?? 0);
    // A startup message (protocol 3.0) is the last one without a type; TLS requests come before it.
    if (this.#isNameless && bytes.readInt32BE(4) === 0x0003_0000) this.#isNameless = false;
    return { type, bytes };
  }
}

const textAt = (bytes: Buffer, from: number): { text: string; end: number } => {
  const end = bytes.indexOf(0, from);
  return { text: bytes.toString("utf8", from, end), end: end + 1 };
};

/** Tracks a client's prepared statements, to know which one each message runs. */
export class PgStatements {
  readonly #prepared = new Map<string, string>();
  #earlier: string[] = [];

  /** The statements of the open transaction, oldest first. */
  get earlier(): readonly string[] {
    return this.#earlier;
  }

  /** The statement that this message runs, if any. */
  read({ type, bytes }: PgMessage): string | undefined {
    if (type === "Q") return textAt(bytes, HEAD_BYTES).text;
    if (type === "P") {
      const name = textAt(bytes, HEAD_BYTES);
      this.#prepared.set(name.text, textAt(bytes, name.end).text);
      return undefined;
    }
    if (type !== "B") return undefined;
    const portal = textAt(bytes, HEAD_BYTES);
    return this.#prepared.get(textAt(bytes, portal.end).text) ?? "";
  }

  /** Records a forwarded statement. */
  note(statement: string): void {
    if (/^\s*(begin|start transaction|commit|rollback(?! to))/i.test(statement)) this.#earlier = [];
    else this.#earlier.push(statement);
  }
}
