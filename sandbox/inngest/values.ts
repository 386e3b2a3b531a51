/** Whether a parsed JSON value is an object with named members. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses JSON; undefined when the text is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

/** A moment for PostgreSQL, as text, so that a moved clock's own Date class never reaches the driver. */
export function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** Fit for a text column and for people: PostgreSQL takes neither \\0 nor half a surrogate pair. */
export function printable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "");
}
