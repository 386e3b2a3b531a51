/** What a run left behind, as the checker reads it: rows of the database, and what the stand-ins saw. Pure data. */
export interface History {
  asks: AskHistory[];
  /** Every pin that stands at Pinterest. */
  created: CreatedPin[];
  /** What Pinterest's request log says of each request that was to create a pin. */
  requests: CreateRequest[];
  transfers: Transfer[];
  reservations: Reservation[];
  balances: Balance[];
  modelCalls: ModelCall[];
}

/** One pin that was asked for, and what became of it. */
export interface AskHistory {
  n: number;
  /** Its own address, which its task, its pin and its pin at Pinterest carry. */
  url: string;
  keyword: string;
  userId: string;
  makingFault: string;
  publishingFault: string;
  /** When it was asked to be published. */
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
  /** When each attempt's call was begun, by the receipts. */
  calls: Date[];
}

export interface CreatedPin {
  id: string;
  url: string | null;
  createdAt: Date;
}

export interface CreateRequest {
  /** When it arrived. */
  at: Date;
  url: string | null;
  /** Id of the pin it created, whether or not anybody was told. */
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

/** A request to a model, and the keyword it is about. */
export interface ModelCall {
  at: Date;
  keyword: string;
}
