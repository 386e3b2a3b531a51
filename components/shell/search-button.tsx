"use client";

import Search from "lucide-react/icons/search";
import { useCommands } from "#components/shell/commands.tsx";
import { useApple } from "#components/shell/use-apple.ts";
import { Kbd } from "#components/ui/kbd.tsx";

/** Opens the command palette: for those who do not know its keys, and for those without a keyboard. */
export function SearchButton() {
  const { open } = useCommands();
  const apple = useApple();
  return (
    <button
      type="button"
      className="side-item side-search"
      aria-keyshortcuts="Control+K Meta+K"
      onClick={() => open("palette")}
    >
      <Search aria-hidden="true" />
      <span className="nav-text">Search</span>
      <span className="side-keys" aria-hidden="true">
        <Kbd keys={apple ? ["⌘", "K"] : ["Ctrl", "K"]} />
      </span>
    </button>
  );
}
