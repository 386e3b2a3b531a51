"use client";

import { useState } from "react";
import type { AccountOption } from "#components/accounts/account-choice.tsx";
import { httpUrl } from "#lib/core/paths.ts";
import { LINK_MAX, TEXTS as PIN_TEXTS } from "#lib/features/pins/constants.ts";

/** What all formats have in common. */
export interface PinTexts {
  accountId: string | null;
  boardId: string | null;
  boardSectionId: string | null;
  title: string;
  description: string;
  url: string;
  altText: string;
}

/** Problems by field; `media` is the video, or the slides as a whole. */
export type Problems = Partial<Record<keyof PinTexts | "media" | "cover", string>>;

/** Why a link would be refused, if it would. */
export const linkProblem = (url: string): string | undefined => {
  if (url.trim() === "") return undefined;
  if (url.length > LINK_MAX) return PIN_TEXTS.linkTooLong;
  return httpUrl(url.trim()) ? undefined : PIN_TEXTS.linkInvalid;
};

/** Empty when the texts can be sent. */
export const checkTexts = ({ accountId, boardId, title, url }: PinTexts): Problems => {
  const link = linkProblem(url);
  return {
    ...(accountId === null && { accountId: PIN_TEXTS.accountNeeded }),
    ...(boardId === null && { boardId: PIN_TEXTS.boardInvalid }),
    ...(title.trim() === "" && { title: PIN_TEXTS.titleNeeded }),
    ...(link && { url: link }),
  };
};

/** The texts as the call expects them. */
export const toPinJson = (texts: PinTexts): Record<string, unknown> => ({
  board_id: texts.boardId,
  ...(texts.boardSectionId !== null && { board_section_id: texts.boardSectionId }),
  title: texts.title.trim(),
  description: texts.description.trim(),
  alt_text: texts.altText.trim(),
  ...(texts.url.trim() !== "" && { url: texts.url.trim() }),
});

const emptyTexts = (accounts: readonly AccountOption[]): PinTexts => ({
  accountId: accounts.length === 1 ? (accounts[0]?.id ?? null) : null,
  ...{ boardId: null, boardSectionId: null, title: "", description: "", url: "", altText: "" },
});

export interface FormatForm {
  texts: PinTexts;
  change: (next: Partial<PinTexts>) => void;
  /** Keeps account and board, for the next pin. */
  clear: () => void;
}

export const useFormatForm = (accounts: readonly AccountOption[]): FormatForm => {
  const [texts, setTexts] = useState(() => emptyTexts(accounts));
  return {
    texts,
    change: (next) => setTexts((before) => ({ ...before, ...next })),
    clear: () => setTexts((before) => ({ ...before, title: "", description: "", url: "", altText: "" })),
  };
};
