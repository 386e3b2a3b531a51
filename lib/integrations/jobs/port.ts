/** Every event a durable function listens to. `id` makes sending idempotent. */
export type JobEvent =
  | { name: "pins/generate.requested"; id: string; data: { taskId: string } }
  | {
      name: "pins/publish.requested";
      id: string;
      /** When its run starts, in milliseconds of the epoch; absent: at once. */
      ts?: number;
      data: { pinId: string; accountId: string; scheduleGeneration: number };
    }
  | { name: "pins/import.requested"; id: string; data: { importId: string } }
  | { name: "identity/verification.requested"; id: string; data: { userId: string; requestKey: string } }
  | { name: "identity/reset.requested"; id: string; data: { sealedEmail: string; requestKey: string } }
  | { name: "email/email.queued"; id: string; data: { emailId: string } }
  | { name: "links/check.requested"; id: string; data: { urlHash: string; host: string; requestedAt: number } }
  | { name: "analytics/sync.requested"; id: string; data: { accountId: string; generation: number; sweeps: number } }
  | { name: "billing/event.received"; id: string; data: { eventId: string } }
  | { name: "webhooks/endpoint.due"; id: string; data: { endpointId: string } }
  | { name: "privacy/erasure.requested"; id: string; data: { userId: string } };

export interface JobsPort {
  /** Sends events. An id repeated within 24 hours is ignored. @throws when the engine rejects the events. */
  send(events: readonly JobEvent[]): Promise<void>;
}
