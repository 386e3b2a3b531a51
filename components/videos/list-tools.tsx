"use client";

import X from "lucide-react/icons/x";
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { useScreenKeys } from "#components/shared/keyboard.ts";
import { Banner, type BannerTone } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { IconButton } from "#components/ui/icon-button.tsx";
import { SearchBox } from "#components/ui/search-box.tsx";
import { countOf } from "#lib/core/text.ts";

type SearchFieldProps = {
  className?: string;
  label: string;
  placeholder: string;
  value: string;
  maxLength: number;
  onChange: (text: string) => void;
  /** Further single-key shortcuts of the screen. */
  keys?: Readonly<Record<string, () => void>>;
};

/** Filters a list of videos. `/` focuses it, Escape clears it. */
export function SearchField({ keys, value, onChange, ...box }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useScreenKeys({
    ...keys,
    "/": () => {
      field.current?.focus();
      field.current?.select();
    },
  });
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.key !== "Escape" || value === "") return;
    event.preventDefault();
    onChange("");
  };
  return (
    <SearchBox {...box} fieldRef={field} aria-keyshortcuts="/" value={value} onChange={onChange} onKeyDown={press} />
  );
}

type SelectionLineProps = {
  count: number;
  /** Shown without a selection. */
  hint: string;
  onClear: () => void;
  /** Actions for the selection. */
  children?: ReactNode;
};

/**
 * The selection banner. It keeps its height without a selection, so that nothing moves, and with one it sticks to the
 * top.
 */
export function SelectionLine({ count, hint, onClear, children }: SelectionLineProps) {
  const line = useRef<HTMLDivElement>(null);
  const hadFocus = useRef(false);
  const isEmpty = count === 0;
  // Its buttons disappear with the selection, so the banner takes the focus.
  useLayoutEffect(() => {
    if (!isEmpty || !hadFocus.current) return;
    hadFocus.current = false;
    if (document.activeElement === document.body) line.current?.focus({ preventScroll: true });
  }, [isEmpty]);
  return (
    <div
      ref={line}
      role="status"
      tabIndex={-1}
      data-slot="video-selection"
      className={cn(
        "max-md:[&_button]:min-h-11",
        "flex flex-wrap items-center justify-between gap-y-2 gap-x-3 min-h-13 mb-5 py-2 pr-2 pl-4",
        "rounded-[10px] bg-accent-tint text-accent-ink text-sm font-[550] focus:outline-none",
        "data-[empty=true]:bg-well data-[empty=true]:text-ink-2 data-[empty=true]:font-normal",
        "data-[empty=false]:sticky data-[empty=false]:top-[calc(12px_+_var(--video-status-height,0px))]",
        "data-[empty=false]:z-[calc(var(--z-sticky)-1)] max-md:min-h-15",
        "max-md:data-[empty=false]:top-[calc(72px_+_var(--video-status-height,0px))] num",
      )}
      data-empty={isEmpty}
      onFocus={() => {
        hadFocus.current = true;
      }}
      onBlur={({ relatedTarget }) => {
        // Without a new target the button itself may have been removed.
        if (relatedTarget !== null) hadFocus.current = false;
      }}
    >
      <span>{isEmpty ? hint : `${countOf(count, "video")} selected`}</span>
      {!isEmpty && (
        <span className="flex gap-2">
          {children}
          <Button size="sm" variant="inherit" onClick={onClear}>
            Clear
          </Button>
        </span>
      )}
    </div>
  );
}

export type StatusMessage = { tone: BannerTone; text: string };

/** Space between the banner and other sticky elements, in pixels. */
const GAP_PX = 10;
const HEIGHT_VARIABLE = "--video-status-height";

/** Publishes the banner's height as a CSS variable, so that other sticky elements stay below it. */
const useBannerHeight = (): RefObject<HTMLDivElement | null> => {
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = line;
    const around = current?.parentElement;
    if (!current || !around) return;
    const observer = new ResizeObserver(() => {
      const height = current.offsetHeight;
      around.style.setProperty(HEIGHT_VARIABLE, `${height === 0 ? 0 : height + GAP_PX}px`);
    });
    observer.observe(current);
    return () => {
      observer.disconnect();
      around.style.removeProperty(HEIGHT_VARIABLE);
    };
  }, []);
  return line;
};

type StatusBannerProps = { status: StatusMessage | null; onDismiss: () => void; children?: ReactNode };

/**
 * The result of the last action, announced to screen readers. It sticks to the top until the next action or until it is
 * dismissed.
 */
export function StatusBanner({ status, onDismiss, children }: StatusBannerProps) {
  const line = useBannerHeight();
  return (
    <div
      ref={line}
      aria-live="assertive"
      data-slot="video-status"
      className="[&>[data-slot=banner]]:items-center [&>[data-slot=banner]]:shadow-card [&>[data-slot=banner]>svg]:mt-0 sticky top-3 z-(--z-sticky) not-empty:grid not-empty:gap-2.5 not-empty:mb-5 max-md:top-18"
    >
      {children}
      {status && (
        <Banner
          tone={status.tone}
          action={
            <IconButton label="Dismiss" variant="inherit" className="my-[-5px] -mr-1.5 ml-0" onClick={onDismiss}>
              <X aria-hidden="true" />
            </IconButton>
          }
        >
          {status.text}
        </Banner>
      )}
    </div>
  );
}
