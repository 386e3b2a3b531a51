import "server-only";

/** Who answers before all was read waits so long for the rest, or the sender may never see the answer. */
const DRAIN_MS = 30_000;

type Reader = ReadableStreamDefaultReader<Uint8Array>;

const readOn = async (reader: Reader): Promise<void> => {
  while (!(await reader.read()).done);
};

/** Reads on without keeping anything, so that the sender, who sends on, comes to read the answer; for so long and no longer. */
export const drainBody = async (reader: Reader): Promise<void> => {
  const { promise: over, resolve: end } = Promise.withResolvers<"read" | "late">();
  const late = setTimeout(() => end("late"), DRAIN_MS);
  // What is waited for just then ends with it.
  const cut = over.then((why) => (why === "late" ? reader.cancel() : undefined));
  const ends = await Promise.allSettled([readOn(reader).finally(() => end("read")), cut]);
  clearTimeout(late);
  for (const one of ends) {
    // The sender went away: nobody reads an answer any more.
    if (one.status === "rejected" && !(one.reason instanceof Error)) throw one.reason;
  }
};
