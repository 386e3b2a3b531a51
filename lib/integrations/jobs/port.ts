/** Every event a durable function listens to. `id` makes sending idempotent. */
export type JobEvent =
  | { name: "pins/generate.requested"; id: string; data: { taskId: string } }
  | {
      name: "pins/publish.requested";
      id: string;
      data: { pinId: string; accountId: string; scheduleGeneration: number; sweeps: number };
    }
  | { name: "identity/verification.requested"; id: string; data: { userId: string; requestKey: string } }
  | { name: "identity/reset.requested"; id: string; data: { sealedEmail: string; requestKey: string } }
  | { name: "letters/letter.posted"; id: string; data: { letterId: string } }
  | { name: "links/check.requested"; id: string; data: { urlHash: string; host: string; requestedAt: number } }
  | { name: "results/gather.requested"; id: string; data: { accountId: string; generation: number; sweeps: number } }
  | { name: "billing/event.received"; id: string; data: { eventId: string } }
  | { name: "privacy/erasure.requested"; id: string; data: { userId: string } };

/** The durable engine's inbox. */
export interface JobsPort {
  /** Sends events; one with an id that was sent within 24 hours does nothing. @throws when the engine does not take them. */
  send(events: readonly JobEvent[]): Promise<void>;
}
