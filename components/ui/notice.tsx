"use client";

import Check from "lucide-react/icons/check";
import X from "lucide-react/icons/x";
import {
  type CSSProperties,
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from "react";
import { cn } from "#components/ui/cn.ts";
import { DIALOG_TITLE } from "#components/ui/dialog-style.ts";
import { NOTICE_MS, NOTICE_TITLES, type NoticeKind } from "#components/ui/notice-texts.ts";

type Shown = { kind: NoticeKind; message: string; id: number };

type Notices = {
  success: (message: string) => void;
  error: (message: string) => void;
  close: () => void;
};

const NoticeContext = createContext<Notices | undefined>(undefined);

const DURATION = { "--notice-duration": `${NOTICE_MS}ms` } as CSSProperties;

/** Shows one notice at a time above the page; a new one replaces it and restarts the timer. */
export function NoticeProvider({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<Shown>();

  const show = useCallback((kind: NoticeKind, message: string) => {
    setShown((previous) => ({ kind, message, id: (previous?.id ?? 0) + 1 }));
  }, []);
  const close = useCallback(() => setShown(undefined), []);

  useEffect(() => {
    if (!shown) return;
    const timer = setTimeout(close, NOTICE_MS);
    return () => clearTimeout(timer);
  }, [shown, close]);

  const notices = useMemo<Notices>(
    () => ({ success: (message) => show("success", message), error: (message) => show("error", message), close }),
    [show, close],
  );

  return (
    <NoticeContext value={notices}>
      {children}
      {/* Always present: screen readers ignore a live region that appears together with its text. */}
      <div role="status" className="sr-only">
        {shown?.kind === "success" && shown.message}
      </div>
      {shown && <Notice key={shown.id} kind={shown.kind} message={shown.message} onClose={close} />}
    </NoticeContext>
  );
}

/** Returns functions that show and close the notice. */
export function useNotice(): Notices {
  const notices = useContext(NoticeContext);
  if (!notices) throw new Error("useNotice needs a NoticeProvider above it");
  return notices;
}

type NoticeProps = { kind: NoticeKind; message: string; onClose: () => void };

function Notice({ kind, message, onClose }: NoticeProps) {
  const title = NOTICE_TITLES[kind];
  const Icon = kind === "success" ? Check : X;

  useEffect(() => {
    function closeOnEscape(event: KeyboardEvent): void {
      if (event.key === "Escape") onClose();
    }
    document.addEventListener("keydown", closeOnEscape);
    return () => document.removeEventListener("keydown", closeOnEscape);
  }, [onClose]);

  return (
    <div
      role={kind === "success" ? undefined : "alert"}
      data-slot="notice"
      className={cn(
        "fixed top-1/2 left-1/2 z-(--z-notice) w-[min(320px,calc(100vw-32px))] -translate-1/2 animate-rise-in",
        "overflow-hidden rounded-dialog bg-raised px-7 pt-[34px] text-center shadow-dialog",
      )}
      style={DURATION}
      data-testid="notice"
    >
      <span
        className={cn(
          "mx-auto mb-3.5 grid size-11 place-items-center rounded-full [&>svg]:size-5",
          kind === "success" ? "bg-published-tint text-published-ink" : "bg-failed-tint text-failed-ink",
        )}
      >
        <Icon aria-hidden="true" />
      </span>
      <p className={DIALOG_TITLE} lang={title.lang}>
        {title.text}
      </p>
      <p className="mt-2 text-sm leading-normal text-ink-2 text-pretty">{message}</p>
      <div className="-mx-7 mt-6.5 h-[3px] bg-line" aria-hidden="true">
        <i
          className={cn(
            "block h-full origin-left animate-run-out motion-reduce:animate-none",
            kind === "success" ? "bg-published" : "bg-failed",
          )}
        />
      </div>
    </div>
  );
}
