/** The outcome of a run for the checker: database rows, and what the stand-ins saw. Pure data. */
export interface History {
  pinRequests: PinRequestHistory[];
  /** Every pin on Pinterest. */
  created: CreatedPin[];
  /** Pinterest's log of requests to create a pin. */
  requests: CreateRequest[];
  transfers: Transfer[];
  reservations: Reservation[];
  balances: Balance[];
  modelCalls: ModelCall[];
}

/** A requested pin and its outcome. */
export interface PinRequestHistory {
  n: number;
  /** A unique URL, shared by its task, its pin and its pin on Pinterest. */
  url: string;
  keyword: string;
  userId: string;
  generationFault: string;
  publishingFault: string;
  /** When it should be published. */
  wantedAt: Date | null;
  tasks: TaskHistory[];
  pins: PinHistory[];
}

export interface TaskHistory {
  id: string;
  status: string;
  reason: string | null;
  finishedAt: Date | null;
}

export interface PinHistory {
  id: string;
  status: string;
  reason: string | null;
  scheduledAt: Date | null;
  pinterestPinId: string | null;
  mayBePublished: boolean;
  /** Start of each attempt's call, from the attempt log. */
  calls: Date[];
}

export interface CreatedPin {
  id: string;
  url: string | null;
  createdAt: Date;
}

interface CreateRequest {
  /** When it arrived. */
  at: Date;
  url: string | null;
  /** Id of the pin it created, even if the client never learned it. */
  created: string | null;
}

export interface Transfer {
  id: string;
  userId: string;
  cause: string;
  kind: string;
  lines: { account: string; credits: number }[];
}

export interface Reservation {
  /** Id of the task. */
  reference: string;
  userId: string;
  credits: number;
  createdAt: Date;
  settledAt: Date | null;
}

/** The cached balance of a user. */
export interface Balance {
  userId: string;
  available: number;
  held: number;
}

/** A model call and its keyword. */
export interface ModelCall {
  at: Date;
  keyword: string;
}
