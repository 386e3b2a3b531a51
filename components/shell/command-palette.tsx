"use client";

import { Command } from "cmdk";
import { useRouter } from "next/navigation";
import { useEffect, useRef } from "react";
import type { CommandView } from "#components/shell/commands.tsx";
import type { NavFacts } from "#components/shell/nav-entries.ts";
import { type PaletteEntry, paletteGroups } from "#components/shell/palette-entries.ts";
import { useActions } from "#components/shell/use-actions.ts";
import { Kbd } from "#components/ui/kbd.tsx";

export type CommandPaletteProps = { nav: NavFacts; onClose: () => void; onOpen: (view: CommandView) => void };

/** Screens, actions and pages behind one field (⌘K, Ctrl+K): type a few letters, arrows, Enter. */
export function CommandPalette({ nav, onClose, onOpen }: CommandPaletteProps) {
  const field = useRef<HTMLInputElement>(null);
  const router = useRouter();
  const actions = useActions(onOpen);

  // A dialog gives the focus to its field by itself, unless it was open before the field was fetched.
  useEffect(() => {
    const dialog = field.current?.closest("[role=dialog]");
    if (dialog?.contains(document.activeElement)) field.current?.focus();
  }, []);

  function choose(entry: PaletteEntry): void {
    if (entry.kind === "link" || !entry.keepsOpen) onClose();
    if (entry.kind === "link") router.push(entry.href);
    else actions[entry.action]();
  }

  return (
    <Command label="Screens and actions" loop vimBindings={false}>
      <Command.Input ref={field} placeholder="Search screens and actions" className="palette-field" />
      <Command.List className="palette-list" label="Screens and actions">
        <Command.Empty className="palette-empty">Nothing has that name.</Command.Empty>
        {paletteGroups(nav).map(({ title, entries }) => (
          <Command.Group key={title} heading={title} className="palette-group">
            {entries.map((entry) => (
              <Command.Item
                key={entry.label}
                value={entry.label}
                keywords={[title, ...(entry.words ?? [])]}
                className="palette-item"
                onSelect={() => choose(entry)}
              >
                <entry.Icon aria-hidden="true" />
                <span className="min-w-0 flex-1 truncate">{entry.label}</span>
                {entry.keys && <Kbd keys={entry.keys} />}
              </Command.Item>
            ))}
          </Command.Group>
        ))}
      </Command.List>
      <p className="palette-foot" aria-hidden="true">
        <Kbd keys={["↑", "↓"]} /> move
        <Kbd keys={["Enter"]} /> choose
        <Kbd keys={["Esc"]} /> close
      </p>
    </Command>
  );
}
