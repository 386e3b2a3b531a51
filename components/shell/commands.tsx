"use client";

import { useRouter } from "next/navigation";
import {
  type ComponentType,
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { CommandPaletteProps } from "#components/shell/command-palette.tsx";
import { type NavFacts, navEntries } from "#components/shell/nav-entries.ts";
import { ShortcutSheet } from "#components/shell/shortcut-sheet.tsx";
import { useCommandKeys } from "#components/shell/use-command-keys.ts";
import { cn } from "#components/ui/cn.ts";
import { Dialog } from "#components/ui/dialog.tsx";
import { showToast } from "#components/ui/toaster.tsx";

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
    import("#components/shell/command-palette.tsx")
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
        className={cn(view === "palette" && "palette")}
      >
        {view === "palette" && (Palette ? <Palette nav={nav} onClose={close} onOpen={open} /> : <Waiting />)}
        {view === "shortcuts" && <ShortcutSheet entries={entries} />}
      </Dialog>
    </CommandsContext>
  );
}

function Waiting() {
  return <div aria-busy="true" className="palette-waiting" />;
}

/** Opens the command palette or the sheet of shortcuts. */
export function useCommands(): Commands {
  const commands = useContext(CommandsContext);
  if (!commands) throw new Error("useCommands needs a CommandsProvider above it");
  return commands;
}
