"use client";

import { useEffect, useRef, useState } from "react";
import { useSessionEnd } from "#components/shared/session.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { ApiError } from "#lib/client/api.ts";
import { upload } from "#lib/client/files.ts";
import { randomKey } from "#lib/client/random-key.ts";
import { TEXTS } from "#lib/features/formats/constants.ts";
import type { CreatedPinWire } from "#lib/features/formats/schema.ts";
import { IDEMPOTENCY_HEADER } from "#lib/features/pins/constants.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";

export interface FormatSending {
  isSending: boolean;
  /** Of the upload, from 0 to 100; null while nothing is sent. */
  percent: number | null;
  problem: string | null;
  created: PinWire | null;
  send: (form: FormData) => Promise<void>;
  stop: () => void;
}

const INTERRUPTED = "The connection was lost. Select Create again to retry. You won't get duplicates.";

const failureOf = ({ status, body }: ApiError): string => {
  if (status === 0) return INTERRUPTED;
  const message = typeof body === "object" && body !== null && "message" in body ? body.message : null;
  return typeof message === "string" && message !== "" ? message : TEXTS.createFailed;
};

const bytesOf = (form: FormData): number =>
  [...form.values()].reduce((sum, part) => sum + (part instanceof Blob ? part.size : part.length), 0);

/** The same parts again are the same pin, so a retry creates nothing twice. */
const signatureOf = (form: FormData): string =>
  JSON.stringify([...form].map(([name, part]) => [name, part instanceof File ? [part.name, part.size] : part]));

/** Sends one pin with its files to `path`, with progress; `onCreated` is called when the draft exists. */
export const useFormatSend = (path: string, onCreated: () => void): FormatSending => {
  const notice = useNotice();
  const { isSessionFailure } = useSessionEnd();
  const [percent, setPercent] = useState<number | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [created, setCreated] = useState<PinWire | null>(null);
  const sending = useRef<AbortController | null>(null);
  const last = useRef({ signature: "", key: "" });
  useEffect(() => () => sending.current?.abort(), []);

  const fail = (error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    if (!isSessionFailure(error)) setProblem(failureOf(error));
  };

  const send = async (form: FormData) => {
    if (sending.current) return;
    const controller = new AbortController();
    sending.current = controller;
    const signature = signatureOf(form);
    if (last.current.signature !== signature) last.current = { signature, key: randomKey() };
    setProblem(null);
    setCreated(null);
    setPercent(0);
    const total = bytesOf(form);
    try {
      const answer = await upload<CreatedPinWire>(path, form, {
        headers: { [IDEMPOTENCY_HEADER]: last.current.key },
        onSent: (bytes) => setPercent(Math.min(100, Math.floor((bytes / Math.max(1, total)) * 100))),
        signal: controller.signal,
      });
      notice.success(answer.message);
      last.current = { signature: "", key: "" };
      setCreated(answer.post);
      onCreated();
    } catch (error) {
      if (!controller.signal.aborted) fail(error);
    } finally {
      sending.current = null;
      setPercent(null);
    }
  };

  const stop = () => sending.current?.abort(new DOMException("Stopped", "AbortError"));
  return { isSending: percent !== null, percent, problem, created, send, stop };
};
