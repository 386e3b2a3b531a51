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
import { RAIL_WORDS, SIDE_ITEM } from "#components/shared/rail.ts";
import {
  isPaletteKey,
  isSomethingOpen,
  isTypedInto,
  readSingleKey,
  SEQUENCE_MS,
} from "#components/shared/shortcuts.ts";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { cn } from "#components/ui/cn.ts";
import { Dialog } from "#components/ui/dialog.tsx";
import { Kbd } from "#components/ui/kbd.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import type { CommandPaletteProps } from "./command-palette.tsx";
import { type NavEntry, type NavFacts, navEntries } from "./nav-entries.ts";

type CommandKeys = {
  /** The area the keys work on; while it is inert they do nothing. */
  frame: RefObject<HTMLElement | null>;
  isPaletteOpen: boolean;
  onPalette: () => void;
  onShortcuts: () => void;
  onScreen: (letter: string) => void;
};

/**
 * Hears the shortcuts of the signed-in area. Single keys are left alone where they would write something, while a
 * dialog is open, and where they are switched off (WCAG 2.1.4).
 */
const useCommandKeys = (keys: CommandKeys): void => {
  const prefixAt = useRef(Number.NEGATIVE_INFINITY);

  const readSingle = (event: KeyboardEvent): void => {
    if (!hasSingleKeys() || isTypedInto(event.target) || isSomethingOpen()) return;
    const asked = readSingleKey(event, event.timeStamp - prefixAt.current < SEQUENCE_MS);
    // A modifier on its way down does not end a sequence.
    if (event.key.length === 1) prefixAt.current = Number.NEGATIVE_INFINITY;
    if (asked === null || (asked.kind === "letter" && !pressScreenKey(asked.letter))) return;
    event.preventDefault();
    if (asked.kind === "prefix") prefixAt.current = event.timeStamp;
    if (asked.kind === "shortcuts") keys.onShortcuts();
    if (asked.kind === "screen") keys.onScreen(asked.letter);
  };

  const hear = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || event.repeat) return;
    if (keys.frame.current?.closest("[inert]")) return;
    if (!isPaletteKey(event, isApple())) return readSingle(event);
    event.preventDefault();
    if (keys.isPaletteOpen || !isSomethingOpen()) keys.onPalette();
  });

  useEffect(() => {
    window.addEventListener("keydown", hear);
    return () => window.removeEventListener("keydown", hear);
  }, []);
};

/** Opens the command palette: for those who do not know its keys, and for those without a keyboard. */
export function SearchButton() {
  const { open } = useCommands();
  const apple = useApple();
  return (
    <button
      type="button"
      className={cn(SIDE_ITEM, "border border-line-2 bg-surface")}
      aria-keyshortcuts="Control+K Meta+K"
      onClick={() => open("palette")}
    >
      <Search aria-hidden="true" />
      <span className={RAIL_WORDS}>Search</span>
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
  { label: "Undo the last choice", keys: ["u"] },
];

const WALL_KEYS: readonly Shortcut[] = [
  { label: "Search pins, or videos on their screens", keys: ["/"] },
  { label: "Choose everything up to a pin", keys: ["Shift", "Space"] },
];

const VIDEO_KEYS: readonly Shortcut[] = [
  { label: "Select all videos, or none", keys: ["l"] },
  { label: "Cards or table", keys: ["t"] },
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

/** Every shortcut of the signed-in area, and the switch for those of a single key. */
function ShortcutSheet({ entries }: { entries: readonly NavEntry[] }) {
  const areOn = useSingleKeys();
  const apple = useApple();
  const screens = entries.flatMap(({ label, letter }) => (letter ? [{ label, keys: ["g", letter] }] : []));
  return (
    <div className="mt-5 grid gap-6">
      <ShortcutList
        title="Everywhere"
        shortcuts={[
          { label: "Search screens and actions", keys: apple ? ["⌘", "K"] : ["Ctrl", "K"] },
          { label: "This list", keys: ["?"] },
          { label: "The last message, to undo", keys: [apple ? "⌥" : "Alt", "T"] },
          { label: "Close what is open", keys: ["Esc"] },
        ]}
      />
      <ShortcutList title="Go to, one key after the other" shortcuts={screens} />
      <ShortcutList title="Generated Posts" shortcuts={WALL_KEYS} />
      <ShortcutList title="Videos" shortcuts={VIDEO_KEYS} />
      <ShortcutList title="Quick review" shortcuts={REVIEW_KEYS} />
      <Checkbox
        label="Shortcuts of a single key (?, g, / and those of Videos and Quick review)"
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
const NOT_LOADED = "The list could not be loaded. Please try again.";

type CommandsProviderProps = { nav: NavFacts; children: ReactNode };

/**
 * The command palette and the sheet of shortcuts, with the keys that open them. Both stand in one dialog, so that going
 * from one to the other keeps the focus inside and still gives it back to where it came from. The palette is fetched
 * when it is first opened.
 */
export function CommandsProvider({ nav, children }: CommandsProviderProps) {
  // The view outlasts the opening: a dialog that changed its shape while closing would be seen doing so.
  const [view, setView] = useState<CommandView>("palette");
  const [isOpen, setOpen] = useState(false);
  const [Palette, setPalette] = useState<ComponentType<CommandPaletteProps>>();
  const frame = useRef<HTMLDivElement>(null);
  const router = useRouter();
  const close = useCallback(() => setOpen(false), []);
  const open = useCallback((wanted: CommandView) => {
    setView(wanted);
    setOpen(true);
  }, []);
  const entries = useMemo(() => navEntries(nav), [nav]);

  useEffect(() => {
    if (!isOpen || view !== "palette" || Palette) return;
    let isWanted = true;
    import("./command-palette.tsx")
      .then(({ CommandPalette }) => isWanted && setPalette(() => CommandPalette))
      .catch((error: unknown) => {
        console.warn("The command palette could not be loaded", error);
        if (!isWanted) return;
        close();
        showToast(NOT_LOADED);
      });
    return () => {
      isWanted = false;
    };
  }, [isOpen, view, Palette, close]);

  useCommandKeys({
    frame,
    isPaletteOpen: isOpen && view === "palette",
    onPalette: () => (isOpen ? close() : open("palette")),
    onShortcuts: () => open("shortcuts"),
    onScreen: (letter) => {
      const entry = entries.find((one) => one.letter === letter);
      if (entry) router.push(entry.href);
    },
  });

  const commands = useMemo(() => ({ open }), [open]);
  return (
    <CommandsContext value={commands}>
      <div ref={frame} className="contents">
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
        {view === "palette" && (Palette ? <Palette nav={nav} onClose={close} onOpen={open} /> : <Waiting />)}
        {view === "shortcuts" && <ShortcutSheet entries={entries} />}
      </Dialog>
    </CommandsContext>
  );
}

function Waiting() {
  return <div aria-busy="true" className="h-95" />;
}

/** Opens the command palette or the sheet of shortcuts. */
function useCommands(): Commands {
  const commands = useContext(CommandsContext);
  if (!commands) throw new Error("useCommands needs a CommandsProvider above it");
  return commands;
}
