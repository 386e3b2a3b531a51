import { createStore, type Journal, type Store } from "../kit/journal.ts";
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
  media: Map<string, Media>;
  /** Oldest first, like the lists by account. */
  pinsByBoard: Map<string, Pin[]>;
  pinsByAccount: Map<string, Pin[]>;
  /** Click rules planted for the analytics to find. */
  planted: PlantedRule[];
}

export type PinterestStore = Store<PinterestState, PinterestEvent>;

export function openStore(journal: Journal<PinterestEvent>): PinterestStore {
  return createStore(journal, freshState, applyEvent);
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

type EventOf<K extends PinterestEvent["kind"]> = Extract<PinterestEvent, { kind: K }>;

const CHANGES: { [K in PinterestEvent["kind"]]: (state: PinterestState, event: EventOf<K>) => void } = {
  account: (state, { username, boardCount }) => addAccount(state, makeAccount(username, boardCount)),
  renamed({ accounts }, { accountId, username }) {
    const account = accounts.get(accountId);
    if (account !== undefined) account.username = username;
  },
  revoked({ byAccessToken, byRefreshToken }, { accountId }) {
    revoke(byAccessToken, accountId);
    revoke(byRefreshToken, accountId);
  },
  expired: ({ byAccessToken }, { accountId }) => revoke(byAccessToken, accountId),
  code: ({ codes }, { code }) => codes.set(code.code, code),
  grant({ codes, byAccessToken, byRefreshToken }, { grant, usedCode, usedRefreshToken }) {
    codes.delete(usedCode ?? "");
    byRefreshToken.delete(usedRefreshToken ?? "");
    byAccessToken.set(grant.accessToken, grant);
    byRefreshToken.set(grant.refreshToken, grant);
  },
  planted(state, { rule }) {
    state.planted = rule === null ? [] : [...state.planted, rule];
  },
  board({ accounts, boards }, { board }) {
    accounts.get(board.accountId)?.boards.push(board);
    boards.set(board.id, board);
  },
  boardRemoved({ accounts, boards }, { boardId }) {
    const account = accounts.get(boards.get(boardId)?.accountId ?? "");
    boards.delete(boardId);
    if (account !== undefined) account.boards = account.boards.filter(({ id }) => id !== boardId);
  },
  section: (state, { boardId, section }) => changeSections(state, boardId, (sections) => [...sections, section]),
  sectionRemoved: (state, { boardId, sectionId }) =>
    changeSections(state, boardId, (sections) => sections.filter(({ id }) => id !== sectionId)),
  media: (state, { media }) => state.media.set(media.id, media),
  mediaUploaded(state, { mediaId, uploadedAt, isVideo }) {
    const media = state.media.get(mediaId);
    if (media !== undefined) state.media.set(mediaId, { ...media, uploadedAt, isVideo, video: `${mediaId}.mp4` });
  },
  pin: (state, { pin }) => addPin(state, pin),
  pins(state, { pins }) {
    for (const pin of pins) addPin(state, pin);
  },
  pinRemoved(state, { pinId }) {
    const pin = state.pins.get(pinId);
    if (pin === undefined) return;
    state.pins.delete(pinId);
    for (const list of listsOf(state, pin)) list.splice(list.indexOf(pin), 1);
  },
};

function applyEvent<K extends PinterestEvent["kind"]>(state: PinterestState, event: EventOf<K> & { kind: K }): void {
  CHANGES[event.kind](state, event);
}

function addAccount(state: PinterestState, account: Account): void {
  state.accounts.set(account.id, account);
  for (const board of account.boards) state.boards.set(board.id, board);
}

function addPin(state: PinterestState, pin: Pin): void {
  state.pins.set(pin.id, pin);
  for (const list of listsOf(state, pin)) list.push(pin);
}

function revoke(grants: Map<string, Grant>, accountId: string): void {
  for (const [token, grant] of grants) if (grant.accountId === accountId) grants.delete(token);
}

function changeSections(state: PinterestState, boardId: string, change: (sections: Section[]) => Section[]): void {
  const board = state.boards.get(boardId);
  if (board !== undefined) board.sections = change(board.sections ?? []);
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
