import type { Journal } from "../kit/journal.ts";
import type { Account, AuthorizationCode, Board, Grant, Pin, PinterestEvent, PlantedRule } from "./model.ts";
import { makeAccount, seedAccounts } from "./seed.ts";

/** Everything the stand-in knows, in maps for quick answers. */
export interface PinterestState {
  accounts: Map<string, Account>;
  boards: Map<string, Board>;
  codes: Map<string, AuthorizationCode>;
  byAccessToken: Map<string, Grant>;
  byRefreshToken: Map<string, Grant>;
  pins: Map<string, Pin>;
  /** Oldest first. */
  pinsByBoard: Map<string, Pin[]>;
  /** Oldest first. */
  pinsByAccount: Map<string, Pin[]>;
  /** What was planted in the figures, to be found. */
  planted: PlantedRule[];
}

/** State with its journal: nothing changes but through `commit`. */
export interface PinterestStore {
  readonly state: PinterestState;
  /** Writes the event down, then applies it. */
  commit(event: PinterestEvent): void;
  /** Back to the seed, journal emptied. */
  reset(): void;
}

/** Rebuilds the state from the journal. */
export function createStore(journal: Journal<PinterestEvent>): PinterestStore {
  let state = freshState();
  for (const event of journal.entries) apply(state, event);
  return {
    get state() {
      return state;
    },
    commit(event) {
      journal.append(event);
      apply(state, event);
    },
    reset() {
      journal.clear();
      state = freshState();
    },
  };
}

/** The account with this username, in any case. */
export function findByUsername(state: PinterestState, username: string): Account | undefined {
  const wanted = username.toLowerCase();
  return [...state.accounts.values()].find((account) => account.username.toLowerCase() === wanted);
}

function freshState(): PinterestState {
  const state: PinterestState = {
    accounts: new Map(),
    boards: new Map(),
    codes: new Map(),
    byAccessToken: new Map(),
    byRefreshToken: new Map(),
    pins: new Map(),
    pinsByBoard: new Map(),
    pinsByAccount: new Map(),
    planted: [],
  };
  for (const account of seedAccounts()) addAccount(state, account);
  return state;
}

function apply(state: PinterestState, event: PinterestEvent): void {
  switch (event.kind) {
    case "account":
      addAccount(state, makeAccount(event.username, event.boardCount));
      break;
    case "renamed":
      rename(state, event.accountId, event.username);
      break;
    case "revoked":
      revoke([state.byAccessToken, state.byRefreshToken], event.accountId);
      break;
    case "expired":
      revoke([state.byAccessToken], event.accountId);
      break;
    case "code":
      state.codes.set(event.code.code, event.code);
      break;
    case "grant":
      addGrant(state, event);
      break;
    case "planted":
      state.planted = event.rule === null ? [] : [...state.planted, event.rule];
      break;
    default:
      applyToBoards(state, event);
      break;
  }
}

type GrantEvent = Extract<PinterestEvent, { kind: "grant" }>;
type BoardEvent = Extract<PinterestEvent, { kind: `board${string}` | `pin${string}` }>;

function applyToBoards(state: PinterestState, event: BoardEvent): void {
  switch (event.kind) {
    case "board":
      addBoard(state, event.board);
      break;
    case "boardRemoved":
      removeBoard(state, event.boardId);
      break;
    case "pin":
      addPin(state, event.pin);
      break;
    case "pins":
      for (const pin of event.pins) addPin(state, pin);
      break;
    case "pinRemoved":
      removePin(state, event.pinId);
      break;
  }
}

function addGrant(state: PinterestState, { grant, usedCode, usedRefreshToken }: GrantEvent): void {
  if (usedCode !== undefined) state.codes.delete(usedCode);
  if (usedRefreshToken !== undefined) state.byRefreshToken.delete(usedRefreshToken);
  state.byAccessToken.set(grant.accessToken, grant);
  state.byRefreshToken.set(grant.refreshToken, grant);
}

function addBoard(state: PinterestState, board: Board): void {
  state.boards.set(board.id, board);
  state.accounts.get(board.accountId)?.boards.push(board);
}

function addAccount(state: PinterestState, account: Account): void {
  state.accounts.set(account.id, account);
  for (const board of account.boards) state.boards.set(board.id, board);
}

function rename(state: PinterestState, accountId: string, username: string): void {
  const account = state.accounts.get(accountId);
  if (account !== undefined) account.username = username;
}

function removeBoard(state: PinterestState, boardId: string): void {
  const board = state.boards.get(boardId);
  if (board === undefined) return;
  state.boards.delete(boardId);
  const account = state.accounts.get(board.accountId);
  if (account !== undefined) account.boards = account.boards.filter(({ id }) => id !== boardId);
}

function revoke(kinds: Map<string, Grant>[], accountId: string): void {
  for (const tokens of kinds) {
    for (const [token, grant] of tokens) if (grant.accountId === accountId) tokens.delete(token);
  }
}

function addPin(state: PinterestState, pin: Pin): void {
  state.pins.set(pin.id, pin);
  append(state.pinsByBoard, pin.boardId, pin);
  append(state.pinsByAccount, pin.accountId, pin);
}

function removePin(state: PinterestState, pinId: string): void {
  const pin = state.pins.get(pinId);
  if (pin === undefined) return;
  state.pins.delete(pinId);
  drop(state.pinsByBoard, pin.boardId, pin);
  drop(state.pinsByAccount, pin.accountId, pin);
}

function drop(lists: Map<string, Pin[]>, key: string, pin: Pin): void {
  lists.set(
    key,
    (lists.get(key) ?? []).filter((one) => one !== pin),
  );
}

function append(lists: Map<string, Pin[]>, key: string, pin: Pin): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [pin]);
  else list.push(pin);
}
