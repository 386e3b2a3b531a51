import type { Journal } from "../kit/journal.ts";
import type {
  Account,
  AuthorizationCode,
  Board,
  Grant,
  Media,
  Pin,
  PinterestEvent,
  PlantedRule,
  Section,
} from "./model.ts";
import { makeAccount, seedAccounts } from "./seed.ts";

/** The whole state, indexed by id. */
export interface PinterestState {
  accounts: Map<string, Account>;
  boards: Map<string, Board>;
  codes: Map<string, AuthorizationCode>;
  byAccessToken: Map<string, Grant>;
  byRefreshToken: Map<string, Grant>;
  pins: Map<string, Pin>;
  /** Uploads of videos. */
  media: Map<string, Media>;
  /** Oldest first. */
  pinsByBoard: Map<string, Pin[]>;
  /** Oldest first. */
  pinsByAccount: Map<string, Pin[]>;
  /** Click rules planted for the analytics to find. */
  planted: PlantedRule[];
}

/** State with its journal. It changes only through `commit`. */
export interface PinterestStore {
  readonly state: PinterestState;
  /** Writes the event to the journal, then applies it. */
  commit(event: PinterestEvent): void;
  /** Restores the seed and clears the journal. */
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

/** Finds an account by username, ignoring case. */
export function findByUsername(state: PinterestState, username: string): Account | undefined {
  const expected = username.toLowerCase();
  return [...state.accounts.values()].find((account) => account.username.toLowerCase() === expected);
}

function freshState(): PinterestState {
  const state: PinterestState = {
    accounts: new Map(),
    boards: new Map(),
    codes: new Map(),
    byAccessToken: new Map(),
    byRefreshToken: new Map(),
    pins: new Map(),
    media: new Map(),
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
    case "board":
      addBoard(state, event.board);
      break;
    case "boardRemoved":
      removeBoard(state, event.boardId);
      break;
    case "section":
      changeSections(state, event.boardId, (sections) => [...sections, event.section]);
      break;
    case "sectionRemoved":
      changeSections(state, event.boardId, (sections) => sections.filter(({ id }) => id !== event.sectionId));
      break;
    case "media":
      state.media.set(event.media.id, event.media);
      break;
    case "mediaUploaded":
      addVideo(state, event);
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

function addAccount(state: PinterestState, account: Account): void {
  state.accounts.set(account.id, account);
  for (const board of account.boards) state.boards.set(board.id, board);
}

function addBoard(state: PinterestState, board: Board): void {
  state.accounts.get(board.accountId)?.boards.push(board);
  state.boards.set(board.id, board);
}

function rename(state: PinterestState, accountId: string, username: string): void {
  const account = state.accounts.get(accountId);
  if (account !== undefined) account.username = username;
}

function revoke(kinds: Map<string, Grant>[], accountId: string): void {
  for (const tokens of kinds) {
    for (const [token, grant] of tokens) if (grant.accountId === accountId) tokens.delete(token);
  }
}

function addVideo(state: PinterestState, upload: Extract<PinterestEvent, { kind: "mediaUploaded" }>): void {
  const { mediaId, uploadedAt, isVideo } = upload;
  const media = state.media.get(mediaId);
  if (media !== undefined) state.media.set(mediaId, { ...media, uploadedAt, isVideo, video: `${mediaId}.mp4` });
}

type GrantEvent = Extract<PinterestEvent, { kind: "grant" }>;

function addGrant(state: PinterestState, { grant, usedCode, usedRefreshToken }: GrantEvent): void {
  if (usedCode !== undefined) state.codes.delete(usedCode);
  if (usedRefreshToken !== undefined) state.byRefreshToken.delete(usedRefreshToken);
  state.byAccessToken.set(grant.accessToken, grant);
  state.byRefreshToken.set(grant.refreshToken, grant);
}

function removeBoard(state: PinterestState, boardId: string): void {
  const account = state.accounts.get(state.boards.get(boardId)?.accountId ?? "");
  state.boards.delete(boardId);
  if (account !== undefined) account.boards = account.boards.filter(({ id }) => id !== boardId);
}

function changeSections(state: PinterestState, boardId: string, change: (sections: Section[]) => Section[]): void {
  const board = state.boards.get(boardId);
  if (board !== undefined) board.sections = change(board.sections ?? []);
}

function addPin(state: PinterestState, pin: Pin): void {
  state.pins.set(pin.id, pin);
  for (const list of listsOf(state, pin)) list.push(pin);
}

function removePin(state: PinterestState, pinId: string): void {
  const pin = state.pins.get(pinId);
  if (pin === undefined) return;
  state.pins.delete(pinId);
  for (const list of listsOf(state, pin)) list.splice(list.indexOf(pin), 1);
}

/** The lists that contain a pin: its board's and its account's. */
function listsOf({ pinsByBoard, pinsByAccount }: PinterestState, { boardId, accountId }: Pin): [Pin[], Pin[]] {
  const listIn = (lists: Map<string, Pin[]>, key: string) => {
    const list = lists.get(key) ?? [];
    lists.set(key, list);
    return list;
  };
  return [listIn(pinsByBoard, boardId), listIn(pinsByAccount, accountId)];
}
