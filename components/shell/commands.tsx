"use client";

import Search from "lucide-react/icons/search";
import { useRouter } from "next/navigation";
import {
  type ComponentType,
  createContext,
  type ReactNode,
  type RefObject,
  useCallback,
  useContext,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from "react";
import {
  hasSingleKeys,
  isApple,
  pressScreenKey,
  setSingleKeys,
  useApple,
  useSingleKeys,
} from "#components/shared/keyboard.ts";
import { isDialogOpen, isPaletteKey, isTypedInto, readSingleKey, SEQUENCE_MS } from "#components/shared/shortcuts.ts";
import { SIDEBAR_ITEM, SIDEBAR_LABEL } from "#components/shared/sidebar-item.ts";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { cn } from "#components/ui/cn.ts";
import { Dialog } from "#components/ui/dialog.tsx";
import { Kbd } from "#components/ui/kbd.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import type { CommandPaletteProps } from "./command-palette.tsx";
import { type NavEntry, type NavFacts, navEntries } from "./nav-entries.ts";

type CommandKeys = {
  /** The signed-in area; the shortcuts do nothing while it is inert. */
  root: RefObject<HTMLElement | null>;
  isPaletteOpen: boolean;
  onPalette: () => void;
  onShortcuts: () => void;
  onScreen: (letter: string) => void;
};

/**
 * Handles the shortcuts of the signed-in area. Single-key shortcuts are ignored while typing, while a dialog is open, and
 * when they are turned off.
 */
const useCommandKeys = (keys: CommandKeys): void => {
  const prefixAt = useRef(Number.NEGATIVE_INFINITY);

  const onSingleKey = (event: KeyboardEvent): void => {
    if (!hasSingleKeys() || isTypedInto(event.target) || isDialogOpen()) return;
    const key = readSingleKey(event, event.timeStamp - prefixAt.current < SEQUENCE_MS);
    // Pressing a modifier does not end a sequence.
    if (event.key.length === 1) prefixAt.current = Number.NEGATIVE_INFINITY;
    if (key === null || (key.kind === "letter" && !pressScreenKey(key.letter))) return;
    event.preventDefault();
    if (key.kind === "prefix") prefixAt.current = event.timeStamp;
    if (key.kind === "shortcuts") keys.onShortcuts();
    if (key.kind === "screen") keys.onScreen(key.letter);
  };

  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || event.repeat) return;
    if (keys.root.current?.closest("[inert]")) return;
    if (!isPaletteKey(event, isApple())) return onSingleKey(event);
    event.preventDefault();
    if (keys.isPaletteOpen || !isDialogOpen()) keys.onPalette();
  });

  useEffect(() => {
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
};

/** Opens the command palette. */
export function SearchButton() {
  const { open } = useCommands();
  const apple = useApple();
  return (
    <button
      type="button"
      className={cn(SIDEBAR_ITEM, "border border-line-2 bg-surface")}
      aria-keyshortcuts="Control+K Meta+K"
      onClick={() => open("palette")}
    >
      <Search aria-hidden="true" />
      <span className={SIDEBAR_LABEL}>Search</span>
      <span className="ml-auto max-xl:hidden" aria-hidden="true">
        <Kbd keys={apple ? ["⌘", "K"] : ["Ctrl", "K"]} />
      </span>
    </button>
  );
}

type Shortcut = { label: string; keys: readonly string[] };

const REVIEW_KEYS: readonly Shortcut[] = [
  { label: "Next draft", keys: ["j"] },
  { label: "Previous draft", keys: ["k"] },
  { label: "Approve", keys: ["a"] },
  { label: "Reject", keys: ["x"] },
  { label: "Edit", keys: ["e"] },
  { label: "Undo last review", keys: ["u"] },
];

const GRID_KEYS: readonly Shortcut[] = [
  { label: "Search pins or videos", keys: ["/"] },
  { label: "Select all pins up to this one", keys: ["Shift", "Space"] },
];

const VIDEO_KEYS: readonly Shortcut[] = [
  { label: "Select or clear all videos", keys: ["l"] },
  { label: "Switch between cards and table", keys: ["t"] },
];

function ShortcutList({ title, shortcuts }: { title: string; shortcuts: readonly Shortcut[] }) {
  return (
    <section className="[&>dl]:mt-1">
      <h3 className="text-sm/[1.3] font-[550] text-ink-3">{title}</h3>
      <dl>
        {shortcuts.map(({ label, keys }) => (
          <div
            key={label}
            data-slot="shortcut"
            className="flex items-center justify-between gap-4 min-h-9.5 text-ui border-b border-line"
          >
            <dt>{label}</dt>
            <dd>
              <Kbd keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** All shortcuts of the signed-in area, and the switch for single-key shortcuts. */
function ShortcutPanel({ entries }: { entries: readonly NavEntry[] }) {
  const areOn = useSingleKeys();
  const apple = useApple();
  const screens = entries.flatMap(({ label, letter }) => (letter ? [{ label, keys: ["g", letter] }] : []));
  return (
    <div className="mt-5 grid gap-6">
      <ShortcutList
        title="Everywhere"
        shortcuts={[
          { label: "Search screens and actions", keys: apple ? ["⌘", "K"] : ["Ctrl", "K"] },
          { label: "Show shortcuts", keys: ["?"] },
          { label: "Jump to the latest notification (to undo)", keys: [apple ? "⌥" : "Alt", "T"] },
          { label: "Close dialogs and menus", keys: ["Esc"] },
        ]}
      />
      <ShortcutList title="Go to (press the keys in order)" shortcuts={screens} />
      <ShortcutList title="Generated Posts" shortcuts={GRID_KEYS} />
      <ShortcutList title="Videos" shortcuts={VIDEO_KEYS} />
      <ShortcutList title="Review Drafts" shortcuts={REVIEW_KEYS} />
      <Checkbox
        label="Use single-key shortcuts (?, g, /, and the ones for Videos and Review Drafts)"
        checked={areOn}
        onChange={(event) => setSingleKeys(event.target.checked)}
      />
    </div>
  );
}

export type CommandView = "palette" | "shortcuts";

type Commands = { open: (view: CommandView) => void };

const CommandsContext = createContext<Commands | undefined>(undefined);

const TITLES: Record<CommandView, string> = { palette: "Go to", shortcuts: "Keyboard shortcuts" };
const NOT_LOADED = "We couldn't load the list. Please try again.";

type CommandsProviderProps = { nav: NavFacts; children: ReactNode };

/**
 * Provides the command palette and the list of shortcuts. Both share one dialog, so that switching between them keeps the
 * focus inside. The palette's code is loaded when it is first opened.
 */
export function CommandsProvider({ nav, children }: CommandsProviderProps) {
  // The view is kept after closing, so that the dialog does not change shape while it fades out.
  const [view, setView] = useState<CommandView>("palette");
  const [isOpen, setOpen] = useState(false);
  const [Palette, setPalette] = useState<ComponentType<CommandPaletteProps>>();
  const root = useRef<HTMLDivElement>(null);
  const router = useRouter();
  const close = useCallback(() => setOpen(false), []);
  const open = useCallback((next: CommandView) => {
    setView(next);
    setOpen(true);
  }, []);
  const entries = useMemo(() => navEntries(nav), [nav]);

  useEffect(() => {
    if (!isOpen || view !== "palette" || Palette) return;
    let isActive = true;
    import("./command-palette.tsx")
      .then(({ CommandPalette }) => isActive && setPalette(() => CommandPalette))
      .catch((error: unknown) => {
        console.warn("The command palette could not be loaded", error);
        if (!isActive) return;
        close();
        showToast(NOT_LOADED);
      });
    return () => {
      isActive = false;
    };
  }, [isOpen, view, Palette, close]);

  useCommandKeys({
    root,
    isPaletteOpen: isOpen && view === "palette",
    onPalette: () => (isOpen ? close() : open("palette")),
    onShortcuts: () => open("shortcuts"),
    onScreen: (letter) => {
      const entry = entries.find((candidate) => candidate.letter === letter);
      if (entry) router.push(entry.href);
    },
  });

  const commands = useMemo(() => ({ open }), [open]);
  return (
    <CommandsContext value={commands}>
      <div ref={root} className="contents">
        {children}
      </div>
      <Dialog
        isOpen={isOpen}
        onClose={close}
        title={TITLES[view]}
        isTitleHidden={view === "palette"}
        hasCloseButton={view === "shortcuts"}
        width={view === "palette" ? "palette" : "sm"}
        placement={view === "palette" ? "top" : "center"}
        className="[&>[cmdk-root]]:flex [&>[cmdk-root]]:min-h-0 [&>[cmdk-root]]:flex-col [&>[cmdk-root]]:outline-none"
      >
        {view === "palette" && (Palette ? <Palette nav={nav} onClose={close} onOpen={open} /> : <PaletteLoading />)}
        {view === "shortcuts" && <ShortcutPanel entries={entries} />}
      </Dialog>
    </CommandsContext>
  );
}

function PaletteLoading() {
  return <div aria-busy="true" className="h-95" />;
}

function useCommands(): Commands {
  const commands = useContext(CommandsContext);
  if (!commands) throw new Error("useCommands needs a CommandsProvider above it");
  return commands;
}
